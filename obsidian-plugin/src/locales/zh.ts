import type { Strings } from "./en";
import { zhBase } from "./zh-base";
import { zhHealth } from "./zh-health";
import { zhRecall } from "./zh-recall";

export const zh: Strings = { ...zhBase, recall: zhRecall, health: zhHealth };
