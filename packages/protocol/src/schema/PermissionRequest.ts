/**
 * Permissions: the question (`can_use_tool`), its answer, and rule updates, which travel both ways: the CLI suggests them,
 * the host sends back those that it accepts.
 *
 * @since 0.1.0
 * @stability stable
 */
import * as Schema from "effect/Schema"
import { optional } from "../internal/fields.js"
import { JsonObject } from "./Json.js"
import { McpServerProvenance } from "./McpServerConfig.js"
import * as Open from "./Open.js"

/** How much is asked: a mode that a host can set. */
export const PermissionMode = Schema.Literal("default", "acceptEdits", "bypassPermissions", "plan", "dontAsk", "auto")
  .annotations({ identifier: "PermissionMode" })
export type PermissionMode = typeof PermissionMode.Type

/** A mode that the CLI reports; newer ones are kept. */
export const ReportedPermissionMode = Open.literal(...PermissionMode.literals).annotations({
  identifier: "ReportedPermissionMode"
})
export type ReportedPermissionMode = typeof ReportedPermissionMode.Type

/** What a rule does. */
export const PermissionBehavior = Open.literal("allow", "deny", "ask").annotations({ identifier: "PermissionBehavior" })
export type PermissionBehavior = typeof PermissionBehavior.Type

/** A tool, and optionally which of its calls. */
export const PermissionRule = Schema.Struct({
  toolName: Schema.String,
  ruleContent: optional(Schema.String)
}).annotations({ identifier: "PermissionRule" })
export interface PermissionRule extends Schema.Schema.Type<typeof PermissionRule> {}

/** Where an update is kept. */
export const PermissionDestination = Open.literal(
  "userSettings",
  "projectSettings",
  "localSettings",
  "session",
  "cliArg"
).annotations({ identifier: "PermissionDestination" })
export type PermissionDestination = typeof PermissionDestination.Type

const rules = {
  rules: Schema.Array(PermissionRule),
  behavior: PermissionBehavior,
  destination: PermissionDestination
}

/** Adds rules. */
export const AddRules = Schema.Struct({ type: Schema.Literal("addRules"), ...rules }).annotations({
  identifier: "AddRules"
})
export interface AddRules extends Schema.Schema.Type<typeof AddRules> {}

/** Replaces rules. */
export const ReplaceRules = Schema.Struct({ type: Schema.Literal("replaceRules"), ...rules }).annotations({
  identifier: "ReplaceRules"
})
export interface ReplaceRules extends Schema.Schema.Type<typeof ReplaceRules> {}

/** Removes rules. */
export const RemoveRules = Schema.Struct({ type: Schema.Literal("removeRules"), ...rules }).annotations({
  identifier: "RemoveRules"
})
export interface RemoveRules extends Schema.Schema.Type<typeof RemoveRules> {}

/** Switches the mode. */
export const SetMode = Schema.Struct({
  type: Schema.Literal("setMode"),
  mode: ReportedPermissionMode,
  destination: PermissionDestination
}).annotations({ identifier: "SetMode" })
export interface SetMode extends Schema.Schema.Type<typeof SetMode> {}

const directories = {
  directories: Schema.Array(Schema.String),
  destination: PermissionDestination
}

/** Adds working directories. */
export const AddDirectories = Schema.Struct({ type: Schema.Literal("addDirectories"), ...directories }).annotations({
  identifier: "AddDirectories"
})
export interface AddDirectories extends Schema.Schema.Type<typeof AddDirectories> {}

/** Removes working directories. */
export const RemoveDirectories = Schema.Struct({ type: Schema.Literal("removeDirectories"), ...directories })
  .annotations({ identifier: "RemoveDirectories" })
export interface RemoveDirectories extends Schema.Schema.Type<typeof RemoveDirectories> {}

/** A change to the permission rules. Open, so that a suggestion of a newer CLI can be sent back as it came. */
export const PermissionUpdate = Open.union("type", [
  AddRules,
  ReplaceRules,
  RemoveRules,
  SetMode,
  AddDirectories,
  RemoveDirectories
]).annotations({ identifier: "PermissionUpdate" })
export type PermissionUpdate = typeof PermissionUpdate.Type

/** The CLI asks whether a tool may run. */
export const CanUseToolRequest = Schema.Struct({
  subtype: Schema.Literal("can_use_tool"),
  tool_name: Schema.String,
  input: JsonObject,
  tool_use_id: optional(Schema.String),
  permission_suggestions: optional(Schema.Array(PermissionUpdate)),
  mcp_server: optional(McpServerProvenance),
  blocked_path: optional(Schema.String),
  decision_reason: optional(Schema.String),
  decision_reason_type: optional(Open.literal(
    "rule",
    "mode",
    "subcommandResults",
    "permissionPromptTool",
    "hook",
    "asyncAgent",
    "sandboxOverride",
    "workingDir",
    "safetyCheck",
    "classifier",
    "other"
  )),
  classifier_approvable: optional(Schema.Boolean),
  suppress_always_allow_rule: optional(Schema.Boolean),
  default_to_no: optional(Schema.Boolean),
  matched_ask_rule: optional(Schema.Struct({
    source: Schema.String,
    tool_name: Schema.String,
    rule_content: optional(Schema.String)
  })),
  title: optional(Schema.String),
  display_name: optional(Schema.String),
  description: optional(Schema.String),
  agent_id: optional(Schema.String),
  requires_user_interaction: optional(Schema.Boolean),
  server_policy_ask_only: optional(Schema.Boolean)
}).annotations({ identifier: "CanUseToolRequest" })
export interface CanUseToolRequest extends Schema.Schema.Type<typeof CanUseToolRequest> {}

const decided = {
  toolUseID: optional(Schema.String),
  decisionClassification: optional(Schema.Literal("user_temporary", "user_permanent", "user_reject"))
}

/**
 * The tool may run, with this input. `updatedInput` is required here although the newest CLIs take an answer without:
 * every CLI up to 2.1.143 fails the call when it is missing. Send the original where nothing changed.
 */
export const PermissionAllow = Schema.Struct({
  behavior: Schema.Literal("allow"),
  updatedInput: JsonObject,
  updatedPermissions: optional(Schema.Array(PermissionUpdate)),
  ...decided
}).annotations({ identifier: "PermissionAllow" })
export interface PermissionAllow extends Schema.Schema.Type<typeof PermissionAllow> {}

/** The tool may not run; the model reads why. `interrupt` ends the turn as well. */
export const PermissionDeny = Schema.Struct({
  behavior: Schema.Literal("deny"),
  message: Schema.String,
  interrupt: optional(Schema.Boolean),
  ...decided
}).annotations({ identifier: "PermissionDeny" })
export interface PermissionDeny extends Schema.Schema.Type<typeof PermissionDeny> {}

/** The answer to `can_use_tool`. */
export const PermissionResult = Schema.Union(PermissionAllow, PermissionDeny).annotations({
  identifier: "PermissionResult"
})
export type PermissionResult = typeof PermissionResult.Type
