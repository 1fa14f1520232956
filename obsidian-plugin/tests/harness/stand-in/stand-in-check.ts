/**
 * Holds the stand-in to the real declarations; only `tsc` reads this file. For every class of the stand-in: each public member exists in
 * the real class and fits it, and it can be constructed with what the real one takes. Every free function and value fits the real one.
 * Nothing is exported that `obsidian` lacks. Members of real classes may be missing: then the plugin, compiled against the stand-in, fails.
 *
 * Where a real signature names another class of the module, "any" stands for it here: the stand-in's classes are smaller, and each is
 * checked by itself.
 */
import type * as real from "obsidian";
import type * as own from "./obsidian";

type Real = typeof real;
type Own = typeof own;

/** Instances of the real module's classes; a class with a private constructor is named by hand. Anything fits a class without members: left out. */
type Full<I> = [keyof I] extends [never] ? never : I;
type RealInstance =
  | { [K in keyof Real]: Real[K] extends abstract new (...args: any[]) => infer I ? Full<I> : never }[keyof Real]
  | real.MenuItem | real.ConfirmationButton | real.SuggestModal<any> | real.FuzzySuggestModal<any> | real.ValueComponent<any> | real.AbstractTextComponent<any>
  | real.WorkspaceParent | real.WorkspaceItem | real.WorkspaceContainer | real.DataAdapter | real.MarkdownFileInfo;

type IsAny<T> = 0 extends 1 & T ? true : false;
/** T with `any` in the place of real classes, also inside promises, arrays and functions. */
type Loose<T> = IsAny<T> extends true ? any
  : T extends string | number | boolean | symbol | null | undefined | void ? T
  : T extends Node | Event | Window ? T
  : T extends RealInstance ? any
  : T extends abstract new (...args: any[]) => any ? any
  : T extends Promise<infer P> ? Promise<Loose<P>>
  : T extends (...args: infer A) => infer R ? (...args: { [I in keyof A]: Loose<A[I]> }) => Loose<R>
  : T extends readonly (infer E)[] ? Loose<E>[]
  : T;

type Public<T> = Exclude<keyof T, `_${string}`>;
/** The members which stand-in and real class share, as the stand-in must `implement` them. */
type Shape<Mine, Theirs> = { [K in Public<Mine> & keyof Theirs]: Loose<Theirs[K]> };
type Invented<Mine, Theirs> = Exclude<Public<Mine>, keyof Theirs>;

/** `true` or a type that names what is wrong, so that the compiler's message does too. */
type Fits<Mine, Theirs> = [Invented<Mine, Theirs>] extends [never]
  ? { [K in keyof Shape<Mine, Theirs>]: Mine[K & keyof Mine] extends Shape<Mine, Theirs>[K] ? never : { member: K; have: Mine[K & keyof Mine]; want: Shape<Mine, Theirs>[K] } }[keyof Shape<Mine, Theirs>] extends infer Fault
    ? [Fault] extends [never] ? true : Fault
    : never
  : { invented: Invented<Mine, Theirs> };

/** Made from within Obsidian only, in both. */
type Internal = "App" | "Vault" | "MetadataCache" | "FileManager" | "Workspace" | "WorkspaceLeaf" | "WorkspaceSidedock" | "WorkspaceWindow" | "MenuItem" | "ConfirmationButton" | "FileSystemAdapter" | "Editor" | "SettingTab";

type Instance<T> = T extends abstract new (...args: any[]) => infer I ? I : never;
type Built<Mine, Theirs> = Mine extends abstract new (...args: infer M) => any
  ? Theirs extends abstract new (...args: infer T) => any
    ? Loosened<T> extends Loosened<M> ? true : { constructor: M; want: T }
    : { notAClass: Theirs }
  : never;
/** In constructors the stand-in's own classes count as the real ones. */
type OwnInstance = { [K in keyof Own]: Own[K] extends abstract new (...args: any[]) => infer I ? I : never }[keyof Own];
type Loosened<A extends unknown[]> = { [I in keyof A]: IsAny<A[I]> extends true ? any : A[I] extends Node | string | number | boolean ? A[I] : A[I] extends RealInstance | OwnInstance ? any : A[I] };

/** Classes whose instance type cannot be had from their constructor. */
interface RealByName { MenuItem: real.MenuItem; ConfirmationButton: real.ConfirmationButton }
type Theirs<K extends keyof Own & keyof Real> = K extends keyof RealByName ? RealByName[K] : Instance<Real[K]>;

type Check<K extends keyof Own & keyof Real> = Own[K] extends abstract new (...args: any[]) => infer Mine
  ? Fits<Mine, Theirs<K>> extends true ? (K extends Internal ? true : Built<Own[K], Real[K]>) : { class: K; fault: Fits<Mine, Theirs<K>> }
  : Own[K] extends Loose<Real[K]> ? true : { value: K; have: Own[K]; want: Real[K] };

type Checked = { [K in keyof Own & keyof Real]: Check<K> };
type Faults = { [K in keyof Checked]: Checked[K] extends true ? never : { export: K; fault: Checked[K] } }[keyof Checked];
type Extra = Exclude<keyof Own, keyof Real>;

const noFault: [Faults] extends [never] ? true : Faults = true;
const noExtraExport: [Extra] extends [never] ? true : Extra = true;

// The data shapes which the stand-in hands on are the real module's own.
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const handedOn: [
  Same<own.Command, real.Command>, Same<own.CachedMetadata, real.CachedMetadata>, Same<own.RequestUrlParam, real.RequestUrlParam>,
  Same<own.ViewState, real.ViewState>, Same<own.SettingDefinitionItem, real.SettingDefinitionItem>, Same<own.OpenViewState, real.OpenViewState>,
] = [true, true, true, true, true, true];

export { handedOn, noExtraExport, noFault };
