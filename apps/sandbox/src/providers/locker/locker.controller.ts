import {
  Body,
  ConflictException,
  Controller,
  Get,
  HttpCode,
  NotFoundException,
  Param,
  Post,
} from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiProperty } from '@nestjs/swagger';
import { HttpsServer } from '../../hosted-pages/https-server.service.js';
import { GivenPerson, readOutcome, readPerson, readPhone } from '../../hosted-pages/outcome-body.js';
import { indiaTime } from '../../http/india-time.js';
import { LOCKER_OUTCOMES, LOCKER_STATUSES, type LockerSession } from './locker-session.js';
import { LockerService } from './locker.service.js';

/** How many open sessions are listed. */
const NEWEST = 100;

class OpenLockerSessionView {
  @ApiProperty({ type: String, format: 'uuid' })
  readonly session_id: string;

  @ApiProperty({ type: String, description: "The caller's." })
  readonly reference: string;

  @ApiProperty({ type: String, format: 'uri', description: 'The hosted page.' })
  readonly url: string;

  @ApiProperty({ type: String, format: 'date-time', example: '2025-11-21T12:30:00.000+05:30' })
  readonly expires_at: string;
}

class OpenLockerSessionsView {
  @ApiProperty({ type: [OpenLockerSessionView], description: 'Newest first.' })
  readonly sessions: OpenLockerSessionView[];
}

class LockerOutcomeBody {
  @ApiProperty({ type: String, enum: LOCKER_OUTCOMES })
  readonly outcome: string;

  @ApiProperty({
    type: GivenPerson,
    required: false,
    description: 'The owner of the locker: only for Setu and Cashfree, whose requests do not name a person.',
  })
  readonly person?: GivenPerson;

  @ApiProperty({
    type: String,
    required: false,
    example: '919999900001',
    description: 'The phone of the owner, which the locker reports.',
  })
  readonly phone?: string;
}

class LockerOutcomeView {
  @ApiProperty({ type: String, format: 'uuid' })
  readonly session_id: string;

  @ApiProperty({ type: String, enum: LOCKER_STATUSES })
  readonly status: string;
}

@Controller('api/locker')
export class LockerController {
  constructor(
    private readonly locker: LockerService,
    private readonly pages: HttpsServer,
  ) {}

  @Get()
  @ApiOperation({ summary: 'The newest 100 open locker sessions' })
  @ApiOkResponse({ type: OpenLockerSessionsView })
  list(): OpenLockerSessionsView {
    const open = this.locker.listOpen().slice(0, NEWEST);
    return { sessions: open.map((session) => this.present(session)) };
  }

  @Post(':session_id/outcome')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Ends a session like its page. 404: unknown; 409: already ended.',
    description: 'Accepts the id in the URL of the page, or the `session_id` that users-service returned.',
  })
  @ApiBody({ type: LockerOutcomeBody })
  @ApiOkResponse({ type: LockerOutcomeView })
  end(@Param('session_id') id: string, @Body() body: unknown): LockerOutcomeView {
    const outcome = readOutcome(LOCKER_OUTCOMES, body);
    const [person, phone] = [readPerson(body), readPhone(body)];
    // users-service sends its own id of the session as the reference
    const session = this.locker.findById(id) ?? this.locker.findByReference(id);
    if (!session) throw new NotFoundException('There is no such session.');
    if (!this.locker.end(session, outcome, { ...(person !== undefined && { person }), phone })) {
      throw new ConflictException(`The session has ended: ${this.locker.statusOf(session)}.`);
    }
    return { session_id: session.id, status: this.locker.statusOf(session) };
  }

  private present({ id, reference, expiresAt }: LockerSession): OpenLockerSessionView {
    const url = this.pages.urlOf(`/locker/${id}`);
    return { session_id: id, reference, url, expires_at: indiaTime(expiresAt) };
  }
}
