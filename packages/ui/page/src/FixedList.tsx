/** A list of which only what is in sight is drawn. All rows are of one height, so that where one is costs nothing to know. */
import type { ComponentChildren } from "preact"
import { useLayoutEffect, useRef, useState } from "preact/hooks"

/** As in `page.css`. */
const rowHeight = 26
const beyond = 12

interface Props {
  readonly label: string
  readonly count: number
  readonly active: number | undefined
  readonly onActive: (index: number) => void
  readonly draw: (index: number) => ComponentChildren
}

export const FixedList = ({ active, count, draw, label, onActive }: Props) => {
  const box = useRef<HTMLDivElement>(null)
  const [{ height, top }, see] = useState({ top: 0, height: 600 })

  useLayoutEffect(() => {
    const element = box.current
    if (element === null) return
    const look = () => see({ top: element.scrollTop, height: element.clientHeight })
    const size = new ResizeObserver(look)
    size.observe(element)
    element.addEventListener("scroll", look, { passive: true })
    return () => {
      size.disconnect()
      element.removeEventListener("scroll", look)
    }
  }, [])

  useLayoutEffect(() => {
    const element = box.current
    if (element === null || active === undefined) return
    const at = active * rowHeight
    const isInSight = at >= element.scrollTop && at + rowHeight <= element.scrollTop + element.clientHeight
    if (!isInSight) element.scrollTop = Math.max(0, at - element.clientHeight / 2)
  }, [active])

  const onKeyDown = (event: KeyboardEvent) => {
    const page = Math.max(1, Math.floor(height / rowHeight) - 1)
    const steps: Record<string, number> = {
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: page,
      PageUp: -page,
      Home: -count,
      End: count
    }
    const step = steps[event.key]
    if (step === undefined || count === 0) return
    event.preventDefault()
    onActive(Math.min(count - 1, Math.max(0, (active ?? -1) + step)))
  }

  const first = Math.max(0, Math.floor(top / rowHeight) - beyond)
  const last = Math.min(count, Math.ceil((top + height) / rowHeight) + beyond)
  const isDrawn = active !== undefined && active >= first && active < last
  return (
    <div
      ref={box}
      class="list"
      role="listbox"
      tabIndex={0}
      aria-label={label}
      aria-activedescendant={isDrawn ? `row-${active}` : undefined}
      onKeyDown={onKeyDown}
    >
      <div class="list-space" style={{ height: `${count * rowHeight}px` }} role="presentation">
        {Array.from({ length: Math.max(0, last - first) }, (_, i) => first + i).map((index) => (
          <div
            key={index}
            id={`row-${index}`}
            class="list-row"
            role="option"
            aria-selected={index === active}
            aria-posinset={index + 1}
            aria-setsize={count}
            style={{ transform: `translateY(${index * rowHeight}px)` }}
            onClick={() => onActive(index)}
          >
            {draw(index)}
          </div>
        ))}
      </div>
    </div>
  )
}
