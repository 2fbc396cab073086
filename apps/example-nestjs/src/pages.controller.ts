import { AuthGuard, CurrentSession, type Session } from "@latchkey/nestjs"
import { Controller, Get, Header, UseGuards } from "@nestjs/common"
import { renderHomePage, renderPrivatePage } from "./pages.js"

@Controller()
export class PagesController {
  @Get()
  @Header("content-type", "text/html; charset=utf-8")
  showHome(@CurrentSession() session: Session | null): string {
    return renderHomePage(session)
  }

  @Get("private")
  @UseGuards(AuthGuard)
  @Header("content-type", "text/html; charset=utf-8")
  showPrivate(@CurrentSession() session: Session | null): string {
    return renderPrivatePage(session)
  }
}
