import { component$ } from "@builder.io/qwik"
import { QwikCityProvider, RouterOutlet, useDocumentHead } from "@builder.io/qwik-city"
import "./global.css"

const Head = component$(() => {
  const { title } = useDocumentHead()
  return (
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <title>{title}</title>
    </head>
  )
})

export default component$(() => (
  <QwikCityProvider>
    <Head />
    <body>
      <RouterOutlet />
    </body>
  </QwikCityProvider>
))
