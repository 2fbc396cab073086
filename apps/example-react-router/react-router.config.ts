import type { Config } from "@react-router/dev/config"

export default {
  ssr: true,
  // The public hosts of the app, if a proxy passes requests on under another one. Here: any port of this machine.
  allowedActionOrigins: ["127.0.0.*"],
} satisfies Config
