import { integrationConfig, listen, testIntegration } from "@latchkey/testkit/integration"
import { ExpressAuth } from "../src/index.js"
import { expresses } from "./expresses.js"

for (const { name, express } of expresses) {
  testIntegration({
    name,
    start: () => listen(express().use("/auth", ExpressAuth(integrationConfig()))),
  })

  testIntegration({
    name: `${name} behind body parsers and a sub-path`,
    basePath: "/shop/auth",
    start: () => {
      const shop = express.Router().use("/auth", ExpressAuth(integrationConfig()))
      return listen(
        express()
          .use(express.json(), express.urlencoded({ extended: true }))
          .use("/shop", shop),
      )
    },
  })
}
