// Two functions in one process, so that all else is the same for both; which of them is called, the event says.
const handlerOf = async (file) => {
  const { handler, default: exported } = await import(file)
  return handler ?? exported.handler
}

const whole = await handlerOf(process.env.BENCH_WHOLE)
const bare = await handlerOf(process.env.BENCH_BARE)

export const handler = (event, context) => (event.stageVariables?.bench === 'bare' ? bare : whole)(event, context)
