/**
 * Control requests about settings, permission rules and the hooks that settings files define.
 *
 * @since 0.1.0
 * @stability stable
 */
import * as Schema from "effect/Schema"
import { optional } from "../internal/fields.js"
import { JsonNumber, JsonObject, JsonValue } from "./Json.js"
import * as Open from "./Open.js"

/** A settings file that could not be read. */
export const SettingsParseError = Schema.Struct({
  file: optional(Schema.String),
  path: Schema.String,
  message: Schema.String
}).annotations({ identifier: "SettingsParseError" })
export interface SettingsParseError extends Schema.Schema.Type<typeof SettingsParseError> {}

/** Lays settings over those of the files, for this process. */
export const ApplyFlagSettingsRequest = Schema.Struct({
  subtype: Schema.Literal("apply_flag_settings"),
  settings: JsonObject
}).annotations({ identifier: "ApplyFlagSettingsRequest" })
export interface ApplyFlagSettingsRequest extends Schema.Schema.Type<typeof ApplyFlagSettingsRequest> {}

/** Writes settings to a file. */
export const UpdateSettingsRequest = Schema.Struct({
  subtype: Schema.Literal("update_settings"),
  source: Schema.Literal("userSettings", "localSettings"),
  settings: JsonObject
}).annotations({ identifier: "UpdateSettingsRequest" })
export interface UpdateSettingsRequest extends Schema.Schema.Type<typeof UpdateSettingsRequest> {}

/** Asks which settings hold. */
export const GetSettingsRequest = Schema.Struct({
  subtype: Schema.Literal("get_settings")
}).annotations({ identifier: "GetSettingsRequest" })
export interface GetSettingsRequest extends Schema.Schema.Type<typeof GetSettingsRequest> {}

/** The settings that hold, and where they come from. */
export const GetSettingsResponse = Schema.Struct({
  effective: JsonObject,
  sources: Schema.Array(JsonValue),
  applied: optional(JsonObject)
}).annotations({ identifier: "GetSettingsResponse" })
export interface GetSettingsResponse extends Schema.Schema.Type<typeof GetSettingsResponse> {}

/** One permission rule, and where it comes from. */
export const PermissionRuleEntry = Schema.Struct({
  behavior: Open.literal("allow", "deny", "ask"),
  source: Open.literal(
    "userSettings",
    "projectSettings",
    "localSettings",
    "session",
    "cliArg",
    "command",
    "flagSettings",
    "policySettings",
    "mcpMount",
    "toolsNarrowing",
    "mcpServerPolicy",
    "hostCredential"
  ),
  rule: Schema.String,
  description: optional(Schema.Struct({
    prefix: Schema.String,
    emphasis: optional(Schema.String),
    suffix: optional(Schema.String)
  })),
  editability: Open.literal("readonly", "session", "persistent"),
  notInEffect: optional(Schema.Boolean)
}).annotations({ identifier: "PermissionRuleEntry" })
export interface PermissionRuleEntry extends Schema.Schema.Type<typeof PermissionRuleEntry> {}

/** Asks which permission rules hold. */
export const ListPermissionRulesRequest = Schema.Struct({
  subtype: Schema.Literal("list_permission_rules")
}).annotations({ identifier: "ListPermissionRulesRequest" })
export interface ListPermissionRulesRequest extends Schema.Schema.Type<typeof ListPermissionRulesRequest> {}

/** The permission rules that hold. */
export const ListPermissionRulesResponse = Schema.Struct({
  state: Schema.Struct({
    rules: Schema.Array(PermissionRuleEntry),
    workspaceDirectories: Schema.Array(Schema.Struct({
      path: Schema.String,
      source: Schema.String
    })),
    originalCwd: Schema.String,
    managedOnly: Schema.Boolean,
    errors: optional(Schema.Array(SettingsParseError)),
    withheld: optional(Schema.Boolean)
  })
}).annotations({ identifier: "ListPermissionRulesResponse" })
export interface ListPermissionRulesResponse extends Schema.Schema.Type<typeof ListPermissionRulesResponse> {}

/** Asks which hooks the settings files define. */
export const GetHooksListingRequest = Schema.Struct({
  subtype: Schema.Literal("get_hooks_listing")
}).annotations({ identifier: "GetHooksListingRequest" })
export interface GetHooksListingRequest extends Schema.Schema.Type<typeof GetHooksListingRequest> {}

/** The hooks that the settings files define, and every event there is. */
export const GetHooksListingResponse = Schema.Struct({
  events: Schema.Array(Schema.Struct({
    name: Schema.String,
    summary: Schema.String,
    supportsMatcher: Schema.Boolean,
    hookCount: JsonNumber
  })),
  hooks: Schema.Array(Schema.Struct({
    event: Schema.String,
    matcher: Schema.String,
    source: Schema.String,
    sourceLabel: Schema.String,
    pluginName: optional(Schema.String),
    type: Schema.String,
    displayText: Schema.String,
    commandText: Schema.String,
    contentLabel: Schema.String,
    condition: optional(Schema.String),
    timeout: optional(JsonNumber),
    statusMessage: optional(Schema.String),
    runsOnce: optional(Schema.Boolean),
    runsInBackground: optional(Schema.Boolean),
    disabled: optional(Schema.Boolean),
    editable: optional(Schema.Struct({
      matcher: Schema.String,
      config: JsonObject,
      headersRedacted: optional(Schema.Boolean)
    }))
  })),
  eventCatalog: Schema.Array(Schema.Struct({
    name: Schema.String,
    summary: Schema.String,
    supportsMatcher: Schema.Boolean
  })),
  policy: Schema.Struct({
    disabledByPolicy: Schema.Boolean,
    managedOnly: Schema.Boolean,
    pluginOnly: Schema.Boolean,
    allDisabled: Schema.Boolean,
    policyHookCount: JsonNumber,
    policyUnreadable: optional(Schema.Boolean)
  }),
  safeMode: optional(Schema.Struct({
    managedHooksStillApply: Schema.Boolean,
    exitHint: Schema.String
  })),
  bareMode: optional(Schema.Struct({
    exitHint: Schema.String
  })),
  errors: optional(Schema.Array(SettingsParseError))
}).annotations({ identifier: "GetHooksListingResponse" })
export interface GetHooksListingResponse extends Schema.Schema.Type<typeof GetHooksListingResponse> {}
