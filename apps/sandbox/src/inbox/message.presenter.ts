import { ApiProperty } from '@nestjs/swagger';
import { codeIn, type Message } from './message.js';

export class MessageView {
  @ApiProperty({ type: String, format: 'uuid' })
  readonly id: string;

  @ApiProperty({ type: String, example: '919999900001' })
  readonly to: string;

  @ApiProperty({ type: String, enum: ['sms'] })
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
  return { id, to, channel, text, code: codeIn(text), sent_at: inIndia(sentAt) };
}

const OFFSET_MS = 5.5 * 3_600_000;

/** ISO 8601 in Indian time, which has had the same offset since 1945. */
function inIndia(date: Date): string {
  return new Date(date.getTime() + OFFSET_MS).toISOString().replace('Z', '+05:30');
}
