import type { Event } from '../../shared/request.ts'
import type { Container } from './container.ts'
import type { FaultKind } from './fault-kinds.ts'

/** The answers to requests that are sent at once, while every call of the database meets a fault, and right after. */
export const outage = async (container: Container, fault: FaultKind['fault'], requests: Event[]) => {
  const { call, proxy } = container
  const answers = () => Promise.all(requests.map((event) => call(structuredClone(event))))
  proxy.counts = {}
  if (fault === 'refuse') await proxy.refuse()
  else proxy.faultOf = () => fault
  const started = performance.now()
  const during = await answers()
  const milliseconds = performance.now() - started
  const attempts = { ...proxy.counts }
  if (fault === 'refuse') await proxy.accept()
  proxy.faultOf = () => 'pass'
  return { during, milliseconds, attempts, after: await answers() }
}
