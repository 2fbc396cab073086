CREATE TABLE `User` (
    `id` VARCHAR(191) NOT NULL,
    `name` VARCHAR(191),
    `email` VARCHAR(191),
    `emailVerified` DATETIME(3),
    `image` TEXT,

    CONSTRAINT `User_pkey` PRIMARY KEY (`id`)
) COLLATE utf8mb4_nopad_bin;

CREATE TABLE `Account` (
    `userId` VARCHAR(191) NOT NULL,
    `type` VARCHAR(191) NOT NULL,
    `provider` VARCHAR(191) NOT NULL,
    `providerAccountId` VARCHAR(512) NOT NULL,
    `refresh_token` TEXT,
    `access_token` TEXT,
    `expires_at` BIGINT,
    `token_type` VARCHAR(191),
    `scope` TEXT,
    `id_token` TEXT,
    `session_state` VARCHAR(191),

    CONSTRAINT `Account_pkey` PRIMARY KEY (`provider`,`providerAccountId`)
) COLLATE utf8mb4_nopad_bin;

CREATE TABLE `Session` (
    `sessionToken` VARCHAR(191) NOT NULL,
    `userId` VARCHAR(191) NOT NULL,
    `expires` DATETIME(3) NOT NULL,

    CONSTRAINT `Session_pkey` PRIMARY KEY (`sessionToken`)
) COLLATE utf8mb4_nopad_bin;

CREATE TABLE `VerificationToken` (
    `identifier` VARCHAR(191) NOT NULL,
    `token` VARCHAR(191) NOT NULL,
    `expires` DATETIME(3) NOT NULL,

    CONSTRAINT `VerificationToken_pkey` PRIMARY KEY (`identifier`,`token`)
) COLLATE utf8mb4_nopad_bin;

CREATE TABLE `Authenticator` (
    `credentialID` VARCHAR(512) NOT NULL,
    `userId` VARCHAR(191) NOT NULL,
    `providerAccountId` VARCHAR(512) NOT NULL,
    `credentialPublicKey` TEXT NOT NULL,
    `counter` BIGINT NOT NULL,
    `credentialDeviceType` VARCHAR(191) NOT NULL,
    `credentialBackedUp` BOOLEAN NOT NULL,
    `transports` VARCHAR(191),
    `name` VARCHAR(191),
    `lastUsedAt` DATETIME(3),

    CONSTRAINT `Authenticator_pkey` PRIMARY KEY (`credentialID`)
) COLLATE utf8mb4_nopad_bin;

CREATE TABLE `Spent` (
    `id` VARCHAR(191) NOT NULL,
    `expires` DATETIME(3) NOT NULL,

    CONSTRAINT `Spent_pkey` PRIMARY KEY (`id`)
) COLLATE utf8mb4_nopad_bin;

CREATE TABLE `ProvenEmail` (
    `userId` VARCHAR(191) NOT NULL,
    `email` VARCHAR(191) NOT NULL,
    `provider` VARCHAR(191) NOT NULL,

    CONSTRAINT `ProvenEmail_pkey` PRIMARY KEY (`userId`,`email`)
) COLLATE utf8mb4_nopad_bin;

CREATE UNIQUE INDEX `User_email_key` ON `User`(`email`);
CREATE INDEX `Account_userId_idx` ON `Account`(`userId`);
CREATE INDEX `Session_userId_idx` ON `Session`(`userId`);
CREATE INDEX `Authenticator_userId_idx` ON `Authenticator`(`userId`);

ALTER TABLE `Account` ADD CONSTRAINT `Account_userId_fkey` FOREIGN KEY (`userId`) REFERENCES `User`(`id`) ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE `Session` ADD CONSTRAINT `Session_userId_fkey` FOREIGN KEY (`userId`) REFERENCES `User`(`id`) ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE `Authenticator` ADD CONSTRAINT `Authenticator_userId_fkey` FOREIGN KEY (`userId`) REFERENCES `User`(`id`) ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE `ProvenEmail` ADD CONSTRAINT `ProvenEmail_userId_fkey` FOREIGN KEY (`userId`) REFERENCES `User`(`id`) ON DELETE CASCADE ON UPDATE CASCADE;

CREATE TABLE `Temporary` (`id` VARCHAR(191) NOT NULL PRIMARY KEY, `value` MEDIUMTEXT NOT NULL, `expires` DATETIME(3) NOT NULL) COLLATE utf8mb4_nopad_bin;
CREATE TABLE `SessionDetail` (
    `id` VARCHAR(191) NOT NULL PRIMARY KEY,
    `userId` VARCHAR(191) NOT NULL REFERENCES `User` (`id`) ON DELETE CASCADE ON UPDATE CASCADE,
    `sessionToken` VARCHAR(191) REFERENCES `Session` (`sessionToken`) ON DELETE CASCADE ON UPDATE CASCADE,
    `provider` VARCHAR(191) NOT NULL,
    `providerAccountId` VARCHAR(512) NOT NULL,
    `providerSession` VARCHAR(512),
    `amr` VARCHAR(191) NOT NULL,
    `createdAt` DATETIME(3) NOT NULL,
    `lastSeenAt` DATETIME(3) NOT NULL,
    `expires` DATETIME(3) NOT NULL,
    `userAgent` TEXT,
    `network` VARCHAR(191),
    `label` VARCHAR(191)
) COLLATE utf8mb4_nopad_bin;
CREATE INDEX `SessionDetail_userId_idx` ON `SessionDetail`(`userId`);
CREATE INDEX `SessionDetail_sessionToken_idx` ON `SessionDetail`(`sessionToken`);
CREATE INDEX `SessionDetail_provider_providerSession_idx` ON `SessionDetail`(`provider`, `providerSession`);
CREATE INDEX `SessionDetail_provider_providerAccountId_idx` ON `SessionDetail`(`provider`, `providerAccountId`);
CREATE TABLE `Password` (
    `userId` VARCHAR(191) NOT NULL PRIMARY KEY REFERENCES `User` (`id`) ON DELETE CASCADE ON UPDATE CASCADE,
    `hash` TEXT NOT NULL,
    `changedAt` DATETIME(3) NOT NULL
) COLLATE utf8mb4_nopad_bin;
CREATE TABLE `Factor` (
    `id` VARCHAR(191) NOT NULL PRIMARY KEY,
    `userId` VARCHAR(191) NOT NULL REFERENCES `User` (`id`) ON DELETE CASCADE ON UPDATE CASCADE,
    `kind` VARCHAR(191) NOT NULL,
    `secret` TEXT NOT NULL,
    `label` VARCHAR(191),
    `lastStep` BIGINT,
    `version` INTEGER NOT NULL,
    `createdAt` DATETIME(3) NOT NULL,
    `lastUsedAt` DATETIME(3)
) COLLATE utf8mb4_nopad_bin;
CREATE INDEX `Factor_userId_idx` ON `Factor`(`userId`);
CREATE TABLE `AccountChange` (
    `id` VARCHAR(191) NOT NULL PRIMARY KEY,
    `userId` VARCHAR(191) NOT NULL REFERENCES `User` (`id`) ON DELETE CASCADE ON UPDATE CASCADE,
    `kind` VARCHAR(191) NOT NULL,
    `value` TEXT NOT NULL,
    `expires` DATETIME(3) NOT NULL
) COLLATE utf8mb4_nopad_bin;
CREATE INDEX `AccountChange_userId_idx` ON `AccountChange`(`userId`);
CREATE INDEX `AccountChange_kind_idx` ON `AccountChange`(`kind`);
