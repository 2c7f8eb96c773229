import { ApiProperty } from '@nestjs/swagger';
import { OptionalPanAndBirthDate } from './pan.js';

/** `POST /api/v1/user-data-export`: the verified PAN of the account and its holder's date of birth; an account without one needs none. */
export class UserDataExportRequest extends OptionalPanAndBirthDate {}

/** All data of a person: docs/user-data.md */
export class UserDataExportPayload {
  @ApiProperty({
    type: String,
    example: 'user-data/1',
    description: 'Changes when a field moves or changes its meaning.',
  })
  readonly format: string;

  @ApiProperty({ type: String, format: 'uuid' })
  readonly user_id: string;

  @ApiProperty({ type: String, format: 'date-time' })
  readonly exported_at: string;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'array', items: { type: 'object', additionalProperties: true } },
    description: "The person's rows of each table, by the names of tables and columns. Not masked.",
  })
  readonly data: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'string' },
    description: 'Tables that are not exported, with the reason.',
  })
  readonly left_out: Readonly<Record<string, string>>;
}
