import { enBase } from "./en-base";
import { enHealth } from "./en-health";
import { enRecall } from "./en-recall";

export const en = { ...enBase, recall: enRecall, health: enHealth };

export type Strings = typeof en;
