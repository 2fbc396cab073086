import type { GetServerSideProps } from "next"
import Head from "next/head"
import { auth } from "../auth"

interface Props {
  name: string | null
}

export const getServerSideProps: GetServerSideProps<Props> = async (context) => {
  const session = await auth(context)
  return { props: { name: session?.user?.name ?? session?.user?.email ?? null } }
}

/** A page of the pages router in the same app. */
export default function Classic({ name }: Props) {
  return (
    <main>
      <Head>
        <title>Pages router</title>
      </Head>
      <h1>Pages router</h1>
      <p id="server-session">{name ? `Signed in as ${name}` : "Not signed in"}</p>
    </main>
  )
}
