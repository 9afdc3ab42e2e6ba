import type { Event } from '../../shared/http.ts'
import type { Container } from './container.ts'
import type { FaultKind } from './fault-kinds.ts'
import { exchange, exchangeInTime } from './requests.ts'

/** The answers to requests that are sent at once, while every call of the database meets a fault, and right after. */
export const outage = async (container: Container, fault: FaultKind['fault'], requests: Event[]) => {
  const { proxy } = container
  proxy.counts = {}
  if (fault === 'refuse') await proxy.refuse()
  else proxy.faultOf = () => fault
  const started = performance.now()
  const during = await Promise.all(requests.map((event) => exchange(container, event)))
  const milliseconds = performance.now() - started
  const attempts = { ...proxy.counts }
  if (fault === 'refuse') await proxy.accept()
  proxy.faultOf = () => 'pass'
  const after = await Promise.all(requests.map((event) => exchangeInTime(container, event)))
  return { during: during.map(({ response }) => response), milliseconds, attempts, after }
}
