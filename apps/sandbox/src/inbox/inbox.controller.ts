import { BadRequestException, Controller, Delete, Get, HttpCode, Query } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiQuery } from '@nestjs/swagger';
import { Inbox } from './inbox.store.js';
import { MessagesView, presentMessage } from './message.presenter.js';

/** How many messages are answered when nobody is named. */
const NEWEST = 100;

@Controller('api/messages')
export class InboxController {
  constructor(private readonly inbox: Inbox) {}

  @Get()
  @ApiOperation({
    summary: 'What was sent to a phone or an email address, or the newest 100 messages to anybody',
  })
  @ApiQuery({ name: 'to', required: false, schema: { type: 'string' }, example: '919999900001' })
  @ApiOkResponse({ type: MessagesView })
  list(@Query('to') to: unknown): MessagesView {
    if (to !== undefined && typeof to !== 'string') throw new BadRequestException('Give "to" once.');
    const messages = to ? this.inbox.list(to) : this.inbox.list().slice(0, NEWEST);
    return { messages: messages.map(presentMessage) };
  }

  @Delete()
  @HttpCode(204)
  @ApiOperation({ summary: 'Forgets all messages' })
  @ApiNoContentResponse()
  clear(): void {
    this.inbox.clear();
  }
}
