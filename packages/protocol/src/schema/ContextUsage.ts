/**
 * How full the context window is: the report that rides on assistant frames, and the answer to `get_context_usage`.
 *
 * @since 0.1.0
 * @stability stable
 */
import * as Schema from "effect/Schema"
import { optional } from "../internal/fields.js"
import { JsonNumber } from "./Json.js"
import * as Open from "./Open.js"

/** One slice of the context window. */
export const ContextUsageCategory = Schema.Struct({
  name: Schema.String,
  tokens: JsonNumber,
  kind: Open.literal("free", "used", "buffer", "deferred")
}).annotations({ identifier: "ContextUsageCategory" })
export interface ContextUsageCategory extends Schema.Schema.Type<typeof ContextUsageCategory> {}

/** The short report on an assistant frame. */
export const ContextUsage = Schema.Struct({
  model: Schema.String,
  total_tokens: JsonNumber,
  raw_max_tokens: JsonNumber,
  percentage: JsonNumber,
  over_limit: optional(Schema.Struct({
    tokens_over: JsonNumber,
    kind: Open.literal("hard_limit", "compaction_window")
  })),
  categories: Schema.Array(ContextUsageCategory),
  mcp_tools: Schema.Array(Schema.Struct({
    name: Schema.String,
    server_name: Schema.String,
    tokens: JsonNumber
  })),
  memory_files: Schema.Array(Schema.Struct({
    path: Schema.String,
    type: Schema.String,
    tokens: JsonNumber
  })),
  agents: Schema.Array(Schema.Struct({
    agent_type: Schema.String,
    source: Schema.String,
    tokens: JsonNumber
  })),
  skills: optional(Schema.Array(Schema.Struct({
    name: Schema.String,
    source: Schema.String,
    plugin_name: optional(Schema.String),
    tokens: JsonNumber
  })))
}).annotations({ identifier: "ContextUsage" })
export interface ContextUsage extends Schema.Schema.Type<typeof ContextUsage> {}

/** Asks how the context window is used. */
export const GetContextUsageRequest = Schema.Struct({
  subtype: Schema.Literal("get_context_usage"),
  detail: optional(Schema.Literal("summary", "full"))
}).annotations({ identifier: "GetContextUsageRequest" })
export interface GetContextUsageRequest extends Schema.Schema.Type<typeof GetContextUsageRequest> {}

/** The answer to `get_context_usage`. */
export const GetContextUsageResponse = Schema.Struct({
  categories: Schema.Array(Schema.Struct({
    id: optional(
      Open.literal(
        "skills",
        "system_prompt",
        "system_tools",
        "mcp_tools",
        "mcp_instructions",
        "mcp_tools_deferred",
        "system_tools_deferred",
        "custom_agents",
        "memory_files",
        "messages",
        "autocompact_buffer",
        "compact_buffer",
        "free_space"
      )
    ),
    name: Schema.String,
    tokens: JsonNumber,
    color: Schema.String,
    isDeferred: optional(Schema.Boolean),
    kind: optional(Open.literal("free", "used", "buffer", "deferred"))
  })),
  totalTokens: JsonNumber,
  maxTokens: JsonNumber,
  rawMaxTokens: JsonNumber,
  percentage: JsonNumber,
  gridRows: Schema.Array(Schema.Array(Schema.Struct({
    color: Schema.String,
    isFilled: Schema.Boolean,
    categoryName: Schema.String,
    tokens: JsonNumber,
    percentage: JsonNumber,
    squareFullness: JsonNumber
  }))),
  model: Schema.String,
  memoryFiles: Schema.Array(Schema.Struct({
    path: Schema.String,
    type: Schema.String,
    tokens: JsonNumber
  })),
  mcpTools: Schema.Array(Schema.Struct({
    name: Schema.String,
    serverName: Schema.String,
    tokens: JsonNumber,
    isLoaded: optional(Schema.Boolean)
  })),
  mcpInstructions: optional(Schema.Array(Schema.Struct({
    serverName: Schema.String,
    tokens: JsonNumber
  }))),
  deferredBuiltinTools: optional(Schema.Array(Schema.Struct({
    name: Schema.String,
    tokens: JsonNumber,
    isLoaded: Schema.Boolean
  }))),
  systemTools: optional(Schema.Array(Schema.Struct({
    name: Schema.String,
    tokens: JsonNumber
  }))),
  systemPromptSections: optional(Schema.Array(Schema.Struct({
    name: Schema.String,
    tokens: JsonNumber
  }))),
  agents: Schema.Array(Schema.Struct({
    agentType: Schema.String,
    source: Schema.String,
    pluginId: optional(Schema.String),
    path: optional(Schema.String),
    tokens: JsonNumber
  })),
  slashCommands: optional(Schema.Struct({
    totalCommands: JsonNumber,
    includedCommands: JsonNumber,
    tokens: JsonNumber
  })),
  skills: optional(Schema.Struct({
    totalSkills: JsonNumber,
    includedSkills: JsonNumber,
    tokens: JsonNumber,
    skillFrontmatter: Schema.Array(Schema.Struct({
      name: Schema.String,
      source: Schema.String,
      pluginName: optional(Schema.String),
      pluginId: optional(Schema.String),
      path: optional(Schema.String),
      tokens: JsonNumber
    }))
  })),
  autoCompactThreshold: optional(JsonNumber),
  isAutoCompactEnabled: Schema.Boolean,
  messageBreakdown: optional(Schema.Struct({
    toolCallTokens: JsonNumber,
    toolResultTokens: JsonNumber,
    attachmentTokens: JsonNumber,
    assistantMessageTokens: JsonNumber,
    userMessageTokens: JsonNumber,
    redirectedContextTokens: JsonNumber,
    unattributedTokens: JsonNumber,
    toolCallsByType: Schema.Array(Schema.Struct({
      name: Schema.String,
      callTokens: JsonNumber,
      resultTokens: JsonNumber
    })),
    attachmentsByType: Schema.Array(Schema.Struct({
      name: Schema.String,
      tokens: JsonNumber
    }))
  })),
  apiUsage: Schema.NullOr(Schema.Struct({
    input_tokens: JsonNumber,
    output_tokens: JsonNumber,
    cache_creation_input_tokens: JsonNumber,
    cache_read_input_tokens: JsonNumber
  })),
  autocompactSource: optional(Schema.String)
}).annotations({ identifier: "GetContextUsageResponse" })
export interface GetContextUsageResponse extends Schema.Schema.Type<typeof GetContextUsageResponse> {}
