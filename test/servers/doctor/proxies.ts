import { writeFileSync } from "node:fs"
import { createServer, type Server, request as send } from "node:http"
import { join } from "node:path"
import { type RunningProgram, startProgram } from "@latchkey/testkit/servers"

/** The host of the site. It leads to this machine, and no rule for the own machine applies to it. */
export const host = "app.example"

/** What a proxy is told beyond a clean configuration. In its lines, FOLDER and BASE stand for a folder and the base path. */
export interface ProxyPlan {
  /** Lines of nginx in the `location`, and in the `server` and `http` around it. */
  readonly nginx?: {
    readonly location?: string
    readonly server?: string
    readonly http?: string
    readonly without?: string
  }
  /** Lines of Caddy in `reverse_proxy`, and before it. */
  readonly caddy?: { readonly proxy?: string; readonly site?: string }
  /** Whether the proxy serves every host. */
  readonly anyHost?: boolean
  /** The address that visitors use, where names for documentation do not do. */
  readonly address?: string
  /** Whether something between the proxy and the app makes one header of all cookies. */
  readonly isMerged?: boolean
}

/** Where a proxy stands. */
export interface ProxyPlace {
  /** Has the certificate and the key, and may be written to. */
  readonly folder: string
  readonly port: number
  /** The ports of the apps. */
  readonly apps: readonly number[]
  readonly basePath: string
}

export type StartProxy = (plan: ProxyPlan, place: ProxyPlace) => Promise<RunningProgram>

const startNginx: StartProxy = ({ nginx = {}, anyHost, address = host }, { folder, port, apps, basePath }) => {
  const tls = `ssl_certificate ${join(folder, "certificate.pem")}; ssl_certificate_key ${join(folder, "key.pem")};`
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path ${folder};`)
  const others = `server { listen 127.0.0.1:${port} ssl default_server; ${tls} return 444; }`
  const config = `pid ${folder}/nginx-${port}.pid;
    events {}
    http {
      access_log off; ${temporary.join(" ")} ${nginx.http ?? ""}
      upstream app { ${apps.map((each) => `server 127.0.0.1:${each};`).join(" ")} }
      large_client_header_buffers 4 32k;
      ${anyHost ? "" : others}
      server {
        listen 127.0.0.1:${port} ssl; server_name ${address}; ${tls}
        ${nginx.server ?? ""}
        location / {
          proxy_pass http://app; proxy_http_version 1.1;
          proxy_set_header Host $http_host;
          proxy_set_header X-Forwarded-Host $http_host;
          proxy_set_header X-Forwarded-Proto $scheme;
          proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
          proxy_buffer_size 32k; proxy_buffers 8 32k;
          ${nginx.location ?? ""}
        }
      }
    }`
  const file = join(folder, `nginx-${port}.conf`)
  const text = config.replace(nginx.without ?? "no such line", "")
  writeFileSync(file, text.replaceAll("FOLDER", folder).replaceAll("BASE", basePath))
  const args = ["-c", file, "-e", "stderr", "-g", "daemon off; master_process off;"]
  return startProgram({ name: "nginx", args, port })
}

const startCaddy: StartProxy = ({ caddy = {}, anyHost, address = host }, { folder, port, apps, basePath }) => {
  const upstreams = apps.map((each) => `127.0.0.1:${each}`).join(" ")
  const config = `{
 admin off
 auto_https off
 default_sni ${host}
 storage file_system ${folder}
}
https://${anyHost ? "" : address}:${port} {
 tls ${join(folder, "certificate.pem")} ${join(folder, "key.pem")}
 ${caddy.site ?? ""}
 reverse_proxy ${upstreams} {
 lb_policy round_robin
 ${caddy.proxy ?? ""}
 }
}
`
  const file = join(folder, `Caddyfile-${port}`)
  writeFileSync(file, config.replaceAll("BASE", basePath))
  return startProgram({ name: "caddy", args: ["run", "--adapter", "caddyfile", "--config", file], port })
}

/** By the name of the program. */
export const proxies = { nginx: startNginx, caddy: startCaddy } as const

/** A relay in front of an app that makes one header of several cookies, as objects of headers do. Use `listen` on it. */
export function createMergingRelay(app: number): Server {
  return createServer((incoming, response) => {
    const { method, url, headers } = incoming
    const sent = send({ host: "127.0.0.1", port: app, method, path: url, headers, agent: false }, (answer) => {
      const { "set-cookie": cookies, ...others } = answer.headers
      response.writeHead(answer.statusCode ?? 502, { ...others, ...(cookies && { "set-cookie": cookies.join(", ") }) })
      answer.pipe(response)
    })
    sent.once("error", () => response.writeHead(502).end())
    incoming.pipe(sent)
  })
}
