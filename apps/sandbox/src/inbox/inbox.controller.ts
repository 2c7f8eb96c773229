import { BadRequestException, Controller, Delete, Get, HttpCode, Query } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiProperty, ApiQuery } from '@nestjs/swagger';
import { indiaTime } from '../http/india-time.js';
import { Inbox } from './inbox.store.js';
import { CHANNELS, codeIn, type Message } from './message.js';

/** How many messages are returned without an address. */
const NEWEST = 100;

class MessageView {
  @ApiProperty({ type: String, format: 'uuid' })
  readonly id: string;

  @ApiProperty({ type: String, example: '919999900001' })
  readonly to: string;

  @ApiProperty({ type: String, enum: CHANNELS })
  readonly channel: string;

  @ApiProperty({ type: String, description: 'As it was sent: plain text, never HTML.' })
  readonly text: string;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The six digits in the text.',
    example: '123456',
  })
  readonly code: string | null;

  @ApiProperty({ type: String, format: 'date-time', example: '2025-11-21T12:30:00.000+05:30' })
  readonly sent_at: string;
}

class MessagesView {
  @ApiProperty({ type: [MessageView], description: 'Newest first.' })
  readonly messages: MessageView[];
}

@Controller('api/messages')
export class InboxController {
  constructor(private readonly inbox: Inbox) {}

  @Get()
  @ApiOperation({
    summary: 'The messages to a phone or an email address, or the newest 100 messages to all addresses',
  })
  @ApiQuery({ name: 'to', required: false, schema: { type: 'string' }, example: '919999900001' })
  @ApiOkResponse({ type: MessagesView })
  list(@Query('to') to: unknown): MessagesView {
    if (to !== undefined && typeof to !== 'string') throw new BadRequestException('Give "to" once.');
    const messages = to ? this.inbox.list(to) : this.inbox.list().slice(0, NEWEST);
    return { messages: messages.map(present) };
  }

  @Delete()
  @HttpCode(204)
  @ApiOperation({ summary: 'Deletes all messages' })
  @ApiNoContentResponse()
  clear(): void {
    this.inbox.clear();
  }
}

function present({ sentAt, ...message }: Message): MessageView {
  return { ...message, code: codeIn(message.text), sent_at: indiaTime(sentAt) };
}
