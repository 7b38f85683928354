/** The page: conversations to choose from, the one that was chosen, and beside it what it is made of. */
import { Charts } from "./Charts.js"
import { Composer } from "./Composer.js"
import { Conversation } from "./Conversation.js"
import { Permission } from "./Permission.js"
import * as State from "./state.js"
import { Timeline } from "./Timeline.js"
import { Wire } from "./Wire.js"

const views = { wire: Wire, timeline: Timeline, charts: Charts } as const

const titles = { conversation: "Conversation", wire: "Wire", timeline: "Timeline", charts: "Charts" } as const

export const App = () => {
  const pane = State.pane.value
  const View = pane === "conversation" ? Wire : views[pane]
  const question = State.prompt.value
  return (
    <div class={`page shows-${pane}`}>
      <header>
        <h1>claude-duplex</h1>
        <nav aria-label="Conversations">
          {State.conversations.value.map(({ id, kind, status, title }) => (
            <button
              key={id}
              type="button"
              aria-current={id === State.selected.value}
              onClick={() => State.select(id)}
            >
              {title} <span class={`status ${kind}`}>{status}</span>
            </button>
          ))}
          <button type="button" onClick={() => void State.startSession()}>New session</button>
        </nav>
      </header>
      <p class="trouble" role="status">{State.trouble.value}</p>
      <main>
        <section class="talk" aria-label="Conversation">
          <Conversation />
          {question === undefined ? null : <Permission key={question.id} question={question} />}
          <Composer />
        </section>
        <section class="beside" aria-label="What it is made of">
          <div class="tabs" role="group" aria-label="Show">
            {(["conversation", ...State.panes] as const).map((name) => (
              <button
                key={name}
                type="button"
                class={`to-${name}`}
                aria-pressed={name === pane}
                onClick={() => {
                  State.pane.value = name
                }}
              >
                {titles[name]}
              </button>
            ))}
          </div>
          <View />
        </section>
      </main>
    </div>
  )
}
