import { Body, Controller, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { UserDataExportPayload, UserDataExportRequest } from '@fd/contracts';
import { Answers } from '@fd/envelope';
import { GeneralErrors, PanErrors, SessionErrors } from '@fd/errors';
import { Audited, CurrentSession, type SessionIdentity, WithoutSharing } from '../../core/index.js';
import { DataExportService } from './data-export.service.js';

@ApiTags('Profile')
@Controller('api/v1/user-data-export')
export class DataExportController {
  constructor(private readonly exports: DataExportService) {}

  // not idempotent: a copy of all data would be stored, and a repeat would not ask for the second fact
  @Post()
  @WithoutSharing()
  @Audited('USER_EXPORTED', { isSending: true })
  @ApiOperation({
    summary: 'All data of the person, not masked',
    description:
      'Returns the same document as an export by an operator. The PAN of the account and its date of birth are asked for in every session; three wrong ones a day are answered; those of the account confirmation count by themselves. An account without a verified PAN needs none. Ten calls in 24 hours. An `Idempotency-Key` is ignored: the answer is never stored.',
  })
  @Answers({
    message: 'Data exported',
    payload: UserDataExportPayload,
    acceptsEmptyBody: true,
    raises: [
      PanErrors.missing,
      PanErrors.wrongLength,
      PanErrors.malformed,
      PanErrors.birthDateMissing,
      PanErrors.birthDateInvalid,
      PanErrors.birthDateInFuture,
      SessionErrors.confirmationWrong,
      SessionErrors.confirmationsExhausted,
      SessionErrors.unshared,
      SessionErrors.exportTooLarge,
      GeneralErrors.tooManyRequests,
    ],
  })
  async export(
    @CurrentSession() session: SessionIdentity,
    @Body() request: UserDataExportRequest,
  ): Promise<UserDataExportPayload> {
    return this.exports.export(session, request);
  }
}
