/**
 * Who is logged in, and which credentials the CLI took.
 *
 * @since 0.1.0
 * @stability stable
 */
import * as Schema from "effect/Schema"
import { optional } from "../internal/fields.js"
import * as Open from "./Open.js"

/** Where the CLI found the credentials it uses. */
export const ApiKeySource = Open.literal(
  "user",
  "project",
  "ANTHROPIC_API_KEY",
  "apiKeyHelper",
  "/login managed key",
  "none",
  "org",
  "temporary",
  "oauth"
).annotations({ identifier: "ApiKeySource" })
export type ApiKeySource = typeof ApiKeySource.Type

/** The account behind a session, as far as the CLI tells; answered by `initialize`. */
export const AccountInfo = Schema.Struct({
  email: optional(Schema.String),
  organization: optional(Schema.String),
  subscriptionType: optional(Schema.String),
  tokenSource: optional(Schema.String),
  apiKeySource: optional(Schema.String),
  apiProvider: optional(
    Open.literal(
      "firstParty",
      "bedrock",
      "vertex",
      "foundry",
      "anthropicAws",
      "anthropicGoogleCloud",
      "mantle",
      "gateway"
    )
  )
}).annotations({ identifier: "AccountInfo" })
export interface AccountInfo extends Schema.Schema.Type<typeof AccountInfo> {}
