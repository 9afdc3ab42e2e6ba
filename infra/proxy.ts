// The proxies that `cdk` takes, for commands: who can deploy must also be able to issue a key.
import { setGlobalProxyFromEnv } from 'node:http'

/** Variables that name proxies, as an `Agent` of Node.js takes them. */
type ProxyVariables = { http_proxy?: string; https_proxy?: string; no_proxy: string }

/** The proxies of the environment. Requests to this machine use none. */
export const proxyVariables = (): ProxyVariables => {
  const http = proxyOf('http')
  const https = proxyOf('https')
  const direct = firstVariable('npm_config_no_proxy', 'no_proxy')?.value.split(/[\s,]+/) ?? []
  return {
    ...(http && { http_proxy: http.address }),
    ...(https && { https_proxy: https.address }),
    no_proxy: [...direct, ...OWN_HOSTS].join(','),
  }
}

/** Lets `fetch` and the default agents of this process use the proxies of the environment. */
export const useProxies = (): void => {
  const { no_proxy, ...proxies } = proxyVariables()
  if (Object.keys(proxies).length > 0) setGlobalProxyFromEnv({ ...proxies, no_proxy })
}

/** Which proxy is between this process and AWS, as a sentence. Without a proxy, it is empty. */
export const proxySentence = (): string => {
  const proxy = proxyOf('https')
  if (!proxy) return ''
  const { protocol = '', host = '' } = URL.parse(proxy.address) ?? {}
  if (['http:', 'https:'].includes(protocol)) return `${proxy.name} names the proxy ${host}.`
  return `${proxy.name} names no http or https proxy, so none is used.`
}

/** Names and addresses of this machine. */
const OWN_HOSTS = ['localhost', '127.0.0.1', '[::1]', '::1']

/** In the order of the npm package proxy-from-env, by which `cdk` finds its proxy. */
const proxyOf = (protocol: 'http' | 'https') => {
  const found = firstVariable(
    `npm_config_${protocol}_proxy`,
    `${protocol}_proxy`,
    'npm_config_proxy',
    'all_proxy',
  )
  if (!found) return undefined
  const { name, value } = found
  return { name, address: value.includes('://') ? value : `${protocol}://${value}` }
}

/** The first of these variables that is set, in small or in capital letters. */
const firstVariable = (...names: string[]) => {
  const spellings = names.flatMap((name) => [name, name.toUpperCase()])
  const name = spellings.find((each) => process.env[each])
  return name === undefined ? undefined : { name, value: process.env[name] ?? '' }
}
