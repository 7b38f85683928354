/** The conversation, card by card: what was said, what tools did, and what it came to. */
import type { Card, ToolCard } from "@claude-duplex/ui/Transcript"
import { useLayoutEffect, useRef } from "preact/hooks"
import { conversation, look, pane, row, transcript, version } from "./state.js"
import { useVirtual } from "./useVirtual.js"
import { seconds } from "./Wire.js"

/** How much of a long text is drawn: the line of the wire has all of it. */
const shown = 20_000

const short = (text: string): string =>
  text.length > shown ? `${text.slice(0, shown)}\n… (${text.length} characters)` : text

const decisions = { asked: "waits for you", allowed: "allowed", denied: "denied", withdrawn: "withdrawn" } as const

const Tool = ({ card }: { readonly card: ToolCard }) => (
  <>
    <h3>
      {card.name}
      {card.decision === undefined ? null : <span class={`badge ${card.decision}`}>{decisions[card.decision]}</span>}
      {card.endedAt === undefined ? null : <span class="badge">{seconds(card.endedAt - card.t)}</span>}
      {card.isError ? <span class="badge denied">failed</span> : null}
    </h3>
    <pre>{short(JSON.stringify(card.input, null, 2))}</pre>
    {card.output === undefined ? null : <pre class="output">{short(card.output)}</pre>}
  </>
)

const names = { prompt: "You", text: "Claude", thinking: "Thinking", note: "Note", problem: "Not understood" } as const

const endings = { success: "The turn is over.", interrupted: "The turn was interrupted." } as const

const Body = ({ card }: { readonly card: Card }) => {
  switch (card.kind) {
    case "tool":
      return <Tool card={card} />
    case "result":
      return (
        <p class={card.outcome === "error" ? "ended wrong" : "ended"}>
          {card.outcome === "error" ? `The turn failed. ${card.text}` : endings[card.outcome]} ${card.usd.toFixed(4)}
          {" "}
          so far
        </p>
      )
    default:
      return (
        <>
          <h3>{names[card.kind]}</h3>
          <p class="said">{short(card.text)}</p>
        </>
      )
  }
}

export const Conversation = () => {
  void version.value
  const { cards, rows } = transcript.value
  const box = useRef<HTMLDivElement>(null)
  const list = useVirtual({ count: cards.length, box, estimate: 90 })
  const marked = row.value === undefined ? undefined : rows[row.value]?.card

  // A line that is looked at brings its card into sight.
  useLayoutEffect(() => {
    if (marked !== undefined) list.scrollToIndex(marked, { align: "auto" })
  }, [marked])

  // Whoever reads the end of something that goes on wants to go on reading.
  const isLive = conversation.value?.kind === "live"
  useLayoutEffect(() => {
    const element = box.current
    if (element === null || !isLive) return
    const isAtEnd = element.scrollHeight - element.scrollTop - element.clientHeight < 200
    if (isAtEnd && cards.length > 0) list.scrollToIndex(cards.length - 1, { align: "end" })
  }, [version.value])

  return (
    <div ref={box} class="cards" role="feed" aria-label="The conversation" tabIndex={0}>
      <div class="cards-space" role="presentation" style={{ height: `${list.getTotalSize()}px` }}>
        {list.getVirtualItems().map(({ index, start }) => {
          const card = cards[index]
          if (card === undefined) return null
          return (
            <article
              key={index}
              ref={list.measureElement}
              data-index={index}
              class={`card ${card.kind}${card.parent === undefined ? "" : " nested"}${
                index === marked ? " marked" : ""
              }`}
              aria-posinset={index + 1}
              aria-setsize={cards.length}
              style={{ transform: `translateY(${start}px)` }}
            >
              <Body card={card} />
              <button
                type="button"
                class="quiet"
                aria-label={`${seconds(card.t)}, show line ${card.row} of the wire`}
                onClick={() => {
                  pane.value = "wire"
                  void look(card.row)
                }}
              >
                {seconds(card.t)}
              </button>
            </article>
          )
        })}
      </div>
    </div>
  )
}
