import "reflect-metadata"
import { AuthModule } from "@latchkey/nestjs"
import { Module } from "@nestjs/common"
import { NestFactory } from "@nestjs/core"
import type { NestExpressApplication } from "@nestjs/platform-express"
import { authConfig } from "./auth.js"
import { LoginController } from "./login.controller.js"
import { PagesController } from "./pages.controller.js"

@Module({
  imports: [AuthModule.forRoot(authConfig)],
  controllers: [PagesController, LoginController],
})
class AppModule {}

const { HOST = "localhost", PORT = "3000" } = process.env
const app = await NestFactory.create<NestExpressApplication>(AppModule)
app.useStaticAssets("public")
await app.listen(Number(PORT), HOST)
console.log(`http://${HOST}:${PORT}`)
