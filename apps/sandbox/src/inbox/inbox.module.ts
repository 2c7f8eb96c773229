import { Module } from '@nestjs/common';
import { InboxController } from './inbox.controller.js';
import { Inbox } from './inbox.store.js';

@Module({ controllers: [InboxController], providers: [Inbox], exports: [Inbox] })
export class InboxModule {}
