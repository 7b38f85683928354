/**
 * Findings that are meant to be: each quoted as it is printed, with its reason. An exception that excuses nothing is
 * itself a finding, so the list cannot grow stale.
 */

export interface Exception {
  /** The whole line. */
  readonly finding: string
  readonly reason: string
}

const fromSubagents = "The CLI stamps it on what a subagent wrote; a host has no subagent to speak for."
const userRole =
  "The SDK uses the API's type of any message. Every user frame in the recordings that the CLI wrote is a "
  + "user's, and it exits when a host sends another role (bad-user-in)."

const nullable =
  "Results without an error carry a null status, so null may come here too; a reader of a nullable field loses nothing "
  + "if it never does."

export const exceptions: ReadonlyArray<Exception> = [
  {
    finding: "PermissionResult.updatedInput  optional in the SDK, required by PermissionAllow",
    reason: "CLIs up to 2.1.143 fail the tool call when an allow comes without it."
  },
  {
    finding: "CliFrame TranscriptMirrorFrame  modelled, not in the SDK (StdoutMessage) nor in a recording",
    reason: "The SDK's own program reads these frames (type, filePath, entries); its types leave them out."
  },
  {
    finding:
      "JsonRpcFailure.id null  modelled, not in the SDK (SDKControlMcpMessageRequest.message.id) nor in a recording",
    reason: "JSON-RPC 2.0 answers with a null id when the request's could not be read."
  },
  { finding: "AssistantFrame.api_error_status null  modelled, not in the SDK nor in a recording", reason: nullable },
  { finding: "AssistantFrame.api_error_type null  modelled, not in the SDK nor in a recording", reason: nullable },
  { finding: "ResultSuccessFrame.api_error_type null  modelled, not in the SDK nor in a recording", reason: nullable },
  {
    finding: "SetModelResponse.model null  modelled, not in the SDK nor in a recording",
    reason: "The answer repeats the request's model, and null there means the default one."
  },
  {
    finding: "CancelAsyncMessageResponse.message_uuid  modelled, not in the SDK nor in a recording",
    reason: "2.1.326 sends it: `pnpm record -- --check queue-cancel`."
  },
  { finding: "AssistantMessageParam  in the SDK, not modelled by CliUserFrame.message", reason: userRole },
  { finding: "SystemMessageParam  in the SDK, not modelled by CliUserFrame.message", reason: userRole },
  {
    finding: "SDKUserMessage.parent_tool_use_id  required in the SDK, optional in HostUserFrame",
    reason: "Tried: 1.0.128 and 2.1.326 both take a user frame without it."
  },
  { finding: "SDKUserMessage.agent_id  in the SDK, not modelled by HostUserFrame", reason: fromSubagents },
  { finding: "SDKUserMessage.subagent_type  in the SDK, not modelled by HostUserFrame", reason: fromSubagents },
  { finding: "SDKUserMessage.task_description  in the SDK, not modelled by HostUserFrame", reason: fromSubagents }
]
