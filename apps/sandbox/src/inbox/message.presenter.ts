import { ApiProperty } from '@nestjs/swagger';
import { indiaTime } from '../wire/india-time.js';
import { CHANNELS, codeIn, type Message } from './message.js';

export class MessageView {
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

export class MessagesView {
  @ApiProperty({ type: [MessageView], description: 'Newest first.' })
  readonly messages: MessageView[];
}

export function presentMessage({ id, to, channel, text, sentAt }: Message): MessageView {
  return { id, to, channel, text, code: codeIn(text), sent_at: indiaTime(sentAt) };
}
