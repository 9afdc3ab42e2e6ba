/** The picture's colours and lines. It has no ground of its own: what is behind it shows. */
export const pictureStyle = `
svg { --ink: #374151; --creates: #1d4ed8; --pages: #15803d; --all: #c2410c }
@media (prefers-color-scheme: dark) { svg { --ink: #d1d5db; --creates: #60a5fa; --pages: #4ade80; --all: #fb923c } }
text { font: 13px system-ui, sans-serif; fill: var(--ink) }
#title { font-size: 15px; font-weight: 600 }
.tick { text-anchor: middle }
.value { text-anchor: end }
line { stroke: var(--ink); stroke-opacity: 0.25 }
polyline { fill: none; stroke-width: 2.5 }
polyline.raised { stroke-dasharray: 3 5; stroke-width: 2 }
polyline.creates { stroke: var(--creates) }
polyline.pages { stroke: var(--pages) }
polyline.all { stroke: var(--all) }
.label.creates { fill: var(--creates) }
.label.pages { fill: var(--pages) }
.label.all { fill: var(--all) }
`
