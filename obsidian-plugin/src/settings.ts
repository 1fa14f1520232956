import { PluginSettingTab, SecretComponent, type App, type Plugin, type Setting, type SettingControl, type SettingDefinition, type SettingDefinitionItem } from "obsidian";
import type { Ebbtide } from "./context";
import { DEFAULT_URL } from "./daemon/pairing";
import { DEFAULTS, MOST_ROWS, loopback, readSettings } from "./settings-data";
import { headline } from "./views/parts";

export class EbbtideSettingTab extends PluginSettingTab {
  override icon = "brain";
  readonly #ebbtide: Ebbtide;

  constructor(app: App, plugin: Plugin, ebbtide: Ebbtide) {
    super(app, plugin);
    this.#ebbtide = ebbtide;
  }

  override getSettingDefinitions(): SettingDefinitionItem[] {
    const t = this.#ebbtide.t.settings;
    const item = (name: "excerpt" | "hideLinked" | "rows" | "statusBar" | "snapshot" | "command" | "address", control: SettingControl): SettingDefinition => ({
      name: t[name],
      desc: t[`${name}Desc`],
      control,
    });
    const toggle = (key: "hideLinked" | "statusBar" | "keepSnapshot"): SettingControl => ({ type: "toggle", key, defaultValue: DEFAULTS[key] });
    const goodRows = (rows: number): string | undefined => (readSettings({ rows }).rows === rows ? undefined : t.rowsBad);
    const goodCommand = (text: string): string | undefined => (isCommand(text) ? undefined : t.commandBad);
    const goodAddress = (text: string): string | undefined => (!text.trim() || loopback(text) ? undefined : t.addressBad(DEFAULT_URL));
    return [
      {
        type: "group",
        heading: t.recall,
        items: [
          item("excerpt", { type: "dropdown", key: "excerptLines", defaultValue: DEFAULTS.excerptLines, options: { "0": t.excerptNone, "1": t.excerptOne, "3": t.excerptThree } }),
          item("hideLinked", toggle("hideLinked")),
          item("rows", { type: "number", key: "rows", defaultValue: DEFAULTS.rows, min: 1, max: MOST_ROWS, step: 1, validate: goodRows }),
        ],
      },
      {
        type: "group",
        heading: t.window,
        items: [item("statusBar", toggle("statusBar")), item("snapshot", toggle("keepSnapshot"))],
      },
      {
        type: "group",
        heading: t.connection,
        items: [
          { name: t.connectionState, render: (setting) => this.#renderState(setting) },
          item("command", { type: "textarea", key: "device.command", rows: 3, validate: goodCommand }),
          item("address", { type: "text", key: "device.address", placeholder: DEFAULT_URL, validate: goodAddress }),
          { name: t.token, desc: t.tokenDesc, render: (setting) => this.#renderToken(setting) },
        ],
      },
    ];
  }

  override getControlValue(key: string): unknown {
    const { device, settings } = this.#ebbtide;
    if (key === "device.command") return device.command.join("\n");
    if (key === "device.address") return device.address;
    return settings[key as keyof typeof settings];
  }

  override async setControlValue(key: string, value: unknown): Promise<void> {
    const { device, connection, settings, snapshot } = this.#ebbtide;
    if (key === "device.command") device.set({ command: lines(String(value)) });
    else if (key === "device.address") {
      device.set({ address: loopback(String(value)) ?? "" });
      await connection.refresh();
    } else {
      Object.assign(settings, readSettings({ ...settings, [key]: value }));
      if (!settings.keepSnapshot) snapshot.clear();
      await this.#ebbtide.saveSettings();
    }
  }

  #renderState(setting: Setting): () => void {
    const { connection, t } = this.#ebbtide;
    const draw = (): void => void setting.setDesc(headline(connection.state, t));
    setting.addButton((made) => made.setButtonText(t.state.tryAgain).onClick(() => void connection.refresh()));
    draw();
    const [stop, release] = [connection.onChange(draw), connection.need()];
    return () => {
      stop();
      release();
    };
  }

  #renderToken(setting: Setting): void {
    const { device, connection } = this.#ebbtide;
    setting.addComponent((el) =>
      new SecretComponent(this.app, el).setValue(device.tokenSecret).onChange((tokenSecret) => {
        device.set({ tokenSecret });
        void connection.refresh();
      }),
    );
  }
}

function lines(text: string): string[] {
  return text.split("\n").map((line) => line.trim()).filter((line) => line !== "");
}

/** Nothing, or an absolute program first; a name alone would depend on what the PATH holds. */
export function isCommand(text: string): boolean {
  const program = lines(text)[0];
  return program === undefined || /^(\/|[A-Za-z]:[\\/]|\\\\)/.test(program);
}
