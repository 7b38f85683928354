/** Where a person says something, or stops what runs. */
import { useState } from "preact/hooks"
import { closeSession, conversation, interrupt, isRunning, sendPrompt } from "./state.js"

export const Composer = () => {
  const [text, write] = useState("")
  const [whenBusy, choose] = useState<"queue" | "steer">("queue")
  const live = conversation.value
  if (live?.kind !== "live" || live.status === "Closed") return null

  const send = () => {
    const said = text.trim()
    if (said === "") return
    write("")
    void sendPrompt(said, whenBusy)
  }

  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
      onKeyDown={(event) => {
        if (event.key === "Escape" && isRunning.value) void interrupt()
      }}
    >
      <textarea
        aria-label="Say something"
        placeholder="Say something (Enter sends, Shift+Enter is a new line)"
        rows={2}
        value={text}
        onInput={(event) => write(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || event.shiftKey || event.isComposing) return
          event.preventDefault()
          send()
        }}
      />
      <div class="buttons">
        <button type="submit">Send</button>
        <label>
          While it is busy{" "}
          <select
            value={whenBusy}
            onChange={(event) => choose(event.currentTarget.value === "steer" ? "steer" : "queue")}
          >
            <option value="queue">wait</option>
            <option value="steer">steer</option>
          </select>
        </label>
        <button type="button" disabled={!isRunning.value} onClick={() => void interrupt()}>
          Interrupt <kbd>Esc</kbd>
        </button>
        <button type="button" onClick={() => void closeSession()}>End</button>
      </div>
    </form>
  )
}
