/**
 * Dialogs that the CLI asks the host to show.
 *
 * @since 0.1.0
 * @stability stable
 */
import * as Schema from "effect/Schema"
import { optional } from "../internal/fields.js"
import { JsonObject, JsonValue } from "./Json.js"

/** A dialog to show. `dialog_kind` is one of those that the host named in `initialize`. */
export const UserDialogRequest = Schema.Struct({
  subtype: Schema.Literal("request_user_dialog"),
  dialog_kind: Schema.String,
  payload: JsonObject,
  tool_use_id: optional(Schema.String)
}).annotations({ identifier: "UserDialogRequest" })
export interface UserDialogRequest extends Schema.Schema.Type<typeof UserDialogRequest> {}

/** How the dialog ended. */
export const UserDialogResponse = Schema.Union(
  Schema.Struct({ behavior: Schema.Literal("completed"), result: JsonValue }),
  Schema.Struct({ behavior: Schema.Literal("cancelled") })
).annotations({ identifier: "UserDialogResponse" })
export type UserDialogResponse = typeof UserDialogResponse.Type
