import type { ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import type { Answer, Fault } from './faults.ts'

/** Answers a request with a fault; `carryOut` has the database carry it out, and gives its answer. */
export const reply = async (fault: Fault, carryOut: () => Promise<Answer>, response: ServerResponse): Promise<void> => {
  if (fault === 'pass') return reply(await carryOut(), carryOut, response)
  if (fault === 'cut') return void response.destroy()
  if (fault === 'silence') return
  if (fault === 'drip') return drip(response)
  if ('late' in fault) {
    if (fault.late === 'request') await pause(fault.milliseconds)
    const given = await carryOut()
    if (fault.late === 'answer') await pause(fault.milliseconds)
    return reply(given, carryOut, response)
  }
  if ('carriedOut' in fault) {
    await carryOut()
    return reply(fault.carriedOut, carryOut, response)
  }
  response.writeHead(fault.status, { 'Content-Type': fault.type ?? 'application/x-amz-json-1.0' }).end(fault.body)
}

const drip = (response: ServerResponse): void => {
  const timer = setInterval(() => response.write(' '), 50)
  response.on('close', () => clearInterval(timer))
}
