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
import { ApiBody, ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { HttpsServer } from '../../hosted-pages/https-server.service.js';
import { readOutcome } from '../../hosted-pages/outcome-body.js';
import { LOCKER_OUTCOMES } from './locker-session.js';
import {
  LockerOutcomeBody,
  LockerOutcomeView,
  OpenLockerSessionsView,
  presentOpenSession,
} from './locker.presenter.js';
import { LockerService } from './locker.service.js';

/** How many open sessions are answered. */
const NEWEST = 100;

@Controller('api/locker')
export class LockerController {
  constructor(
    private readonly locker: LockerService,
    private readonly pages: HttpsServer,
  ) {}

  @Get()
  @ApiOperation({ summary: 'The newest 100 locker sessions that wait for their person' })
  @ApiOkResponse({ type: OpenLockerSessionsView })
  list(): OpenLockerSessionsView {
    const open = this.locker.listOpen().slice(0, NEWEST);
    return {
      sessions: open.map((session) => presentOpenSession(session, this.pages.urlOf(`/locker/${session.id}`))),
    };
  }

  @Post(':session_id/outcome')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Ends a session as its page would: 404 when it is not known, 409 when it had ended already',
  })
  @ApiBody({ type: LockerOutcomeBody })
  @ApiOkResponse({ type: LockerOutcomeView })
  end(@Param('session_id') id: string, @Body() body: unknown): LockerOutcomeView {
    const outcome = readOutcome(LOCKER_OUTCOMES, body);
    const session = this.locker.find(id);
    if (!session) throw new NotFoundException('There is no such session.');
    if (!this.locker.end(session, outcome)) {
      throw new ConflictException(`The session has ended: ${this.locker.statusOf(session)}.`);
    }
    return { session_id: id, status: this.locker.statusOf(session) };
  }
}
