/** Turns and their tools as bars over time: how long until the first word, and where the time went. */
import { FixedList } from "./FixedList.js"
import { look, transcript, version } from "./state.js"
import { seconds } from "./Wire.js"

const share = (part: number, whole: number): string => `${whole === 0 ? 0 : Math.max(0, (part / whole) * 100)}%`

export const Timeline = () => {
  void version.value
  const { cards, rows, turns } = transcript.value
  const now = rows.at(-1)?.t ?? 0
  const lengths = turns.map(({ begin, end = now }) => end - begin)
  const longest = lengths.reduce((a, b) => Math.max(a, b), 0)
  return (
    <section class="timeline" aria-label="The timeline">
      <p class="legend">
        <span class="key waiting">until the first word</span> <span class="key speaking">until the end</span>{" "}
        <span class="key tool">a tool runs</span>
      </p>
      <FixedList
        label={`${turns.length} turns`}
        count={turns.length}
        active={undefined}
        onActive={(index) => {
          const begin = turns[index]?.begin ?? 0
          void look(Math.max(0, rows.findIndex(({ dir, t }) => dir === "host" && t === begin)))
        }}
        draw={(index) => {
          const turn = turns[index]
          if (turn === undefined) return null
          const length = lengths[index] ?? 0
          const waited = (turn.first ?? turn.end ?? now) - turn.begin
          return (
            <>
              <span class="number">{index + 1}</span>
              <span class="time">{seconds(length)}</span>
              <span
                class="bars"
                aria-label={`first word after ${seconds(waited)}, ${turn.tools.length} tools`}
                role="img"
              >
                <span class="bar waiting" style={{ width: share(waited, longest) }} />
                <span
                  class="bar speaking"
                  style={{ left: share(waited, longest), width: share(length - waited, longest) }}
                />
                {turn.tools.map((at) => {
                  const card = cards[at]
                  if (card?.kind !== "tool") return null
                  return (
                    <span
                      key={at}
                      class="bar tool"
                      style={{
                        left: share(card.t - turn.begin, longest),
                        width: share((card.endedAt ?? now) - card.t, longest)
                      }}
                    />
                  )
                })}
              </span>
            </>
          )
        }}
      />
    </section>
  )
}
