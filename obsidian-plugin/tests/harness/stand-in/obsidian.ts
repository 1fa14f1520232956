/**
 * Stands in for the module `obsidian`: what the plugin uses, with Obsidian's shapes and near its behaviour. Members that begin with an
 * underscore are the harness's. stand-in-check.ts holds every export to the real declarations; data shapes are the real ones.
 */
export { Component, Events } from "./events";
export {
  apiVersion, getIcon, getLanguage, normalizePath, parseLinktext, Platform, requestUrl, SecretStorage, setIcon, setTooltip,
} from "./platform";
export { App, Plugin, PluginSettingTab } from "./plugin";
export {
  AbstractTextComponent, BaseComponent, ButtonComponent, ConfirmationButton, ConfirmationModal, DropdownComponent, ExtraButtonComponent, FuzzySuggestModal, Menu, MenuItem, Modal, Notice,
  SearchComponent, SecretComponent, Setting, SettingGroup, SettingTab, SliderComponent, SuggestModal, TextAreaComponent, TextComponent, ToggleComponent, ValueComponent,
} from "./ui";
export { FileManager, FileSystemAdapter, MetadataCache, TAbstractFile, TFile, TFolder, Vault } from "./vault";
export { Editor } from "./editor";
export { FileView, ItemView, MarkdownView, View, Workspace, WorkspaceLeaf, WorkspaceSidedock, WorkspaceWindow } from "./workspace";
export type {
  CachedMetadata, CacheItem, Command, Constructor, Debouncer, EditorPosition, EditorRange, EmbedCache, EventRef, FileStats, FrontMatterCache, FrontmatterLinkCache, FuzzyMatch,
  HeadingCache, HoverParent, HoverLinkSource, IconName, Instruction, LinkCache, Loc, MarkdownFileInfo, ObsidianProtocolData, OpenViewState, PaneType, PluginManifest, Pos, ReferenceCache,
  RequestUrlParam, RequestUrlResponse, RequestUrlResponsePromise, SettingControl, SettingDefinition, SettingDefinitionControl, SettingDefinitionGroup, SettingDefinitionItem,
  SettingDefinitionList, SettingDefinitionPage, SettingDefinitionRender, SettingGroupItem, Side, TagCache, TooltipOptions, ViewState, ViewStateResult,
} from "../../../node_modules/obsidian/obsidian";
