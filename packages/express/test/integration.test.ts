import { listen, publicCaching, testIntegration } from "@latchkey/testkit/integration"
import { auth, currentSession, ExpressAuth } from "../src/index.js"
import { expresses } from "./expresses.js"

for (const { name, express } of expresses) {
  testIntegration({
    name,
    cachedPage: "/cached",
    signInForm: "/login",
    warnsAtStart: true,
    proxySetting: 'app.set("trust proxy", 1)',
    start(config) {
      return listen(
        express()
          .use("/auth", ExpressAuth(config))
          .get(
            "/cached",
            currentSession(config),
            (_request, response) => void response.set(publicCaching).send("the app"),
          )
          .post("/login", express.urlencoded(), (req, res) => {
            const { providerId, redirectTo, ...fields } = req.body
            auth(req, res, config)
              .signIn({ providerId, redirectTo, fields })
              .then(
                (url) => res.redirect(303, url),
                ({ name }: Error) => res.status(403).send(name),
              )
          }),
      )
    },
  })

  testIntegration({
    isOtherMount: true,
    name: `${name} behind body parsers and a sub-path`,
    basePath: "/shop/auth",
    start: (config) => {
      const shop = express.Router().use("/auth", ExpressAuth(config))
      return listen(
        express()
          .use(express.json(), express.urlencoded({ extended: true }))
          .use("/shop", shop),
      )
    },
  })
}
