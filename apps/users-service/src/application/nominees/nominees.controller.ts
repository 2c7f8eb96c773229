import { Body, Controller, Delete, Get, Param, Post, Put, Query } from '@nestjs/common';
import { ApiBody, ApiExtraModels, ApiOperation, ApiTags, getSchemaPath } from '@nestjs/swagger';
import {
  ChangedNomineePayload,
  CreateNomineesQuery,
  CreateNomineesRequest,
  maskEmail,
  maskPan,
  maskPhone,
  NominationPayload,
  NomineesPayload,
  type NomineeView,
  RemovedNomineePayload,
  UpdateNomineeRequest,
} from '@fd/contracts';
import { Answers } from '@fd/envelope';
import {
  ConsentErrors,
  type ErrorDefinition,
  GeneralErrors,
  IssuerErrors,
  JourneyErrors,
  NomineeErrors,
} from '@fd/errors';
import {
  Audited,
  CurrentSession,
  Idempotent,
  type SessionIdentity,
  WithoutSharing,
} from '../../core/index.js';
import { ConsentsRepository } from '../../identity/index.js';
import { CurrentIssuer, ForStep } from '../../journey/index.js';
import { NominationsService } from './nominations.service.js';
import { readNomination } from './nominee-input.js';
import { isMinor, NO_NOMINEE_DECLARATION, type Nominee } from './nominee.js';

const NOMINEE_ERRORS = [
  NomineeErrors.nameInvalid,
  NomineeErrors.relationshipInvalid,
  NomineeErrors.birthDateInvalid,
  NomineeErrors.guardianMissing,
  NomineeErrors.guardianInvalid,
  NomineeErrors.sharesExceeded,
  GeneralErrors.fieldInvalid,
] as const satisfies readonly ErrorDefinition[];

/** Requires fields that the referenced class describes; linters ask for a mention of each beside the requirement. */
const required = (...fields: string[]) => ({
  required: fields,
  properties: Object.fromEntries(fields.map((field) => [field, {}])),
});

/** A nomination: one nominee, several, or none. */
const NOMINATION = {
  $ref: getSchemaPath(CreateNomineesRequest),
  anyOf: [
    required('name', 'relationship'),
    required('nominees'),
    required('skip_nominee', 'declaration_accepted'),
  ],
};

@ApiTags('Nominee')
@ApiExtraModels(CreateNomineesRequest)
@Controller('api/v1/user-nominee')
export class NomineesController {
  constructor(
    private readonly nominations: NominationsService,
    private readonly currentIssuer: CurrentIssuer,
    private readonly consents: ConsentsRepository,
  ) {}

  @Post()
  @Idempotent()
  @ForStep('NOMINEE')
  @Audited('NOMINATION_MADE')
  @ApiOperation({
    summary: 'Add one or more nominees, or declare to name none',
    description:
      'Adds to the nomination. The shares of all nominees may not exceed 100 per cent; a minor needs a guardian.',
  })
  @ApiBody({ schema: NOMINATION })
  @Answers({
    status: 201,
    message: 'Nomination registered',
    payload: NominationPayload,
    raises: [
      ...NOMINEE_ERRORS,
      NomineeErrors.tooMany,
      NomineeErrors.required,
      IssuerErrors.unknown,
      JourneyErrors.stepLocked,
      ConsentErrors.withdrawn,
    ],
  })
  async nominate(
    @CurrentSession() session: SessionIdentity,
    @Query() query: CreateNomineesQuery,
    @Body() request: CreateNomineesRequest,
  ): Promise<NominationPayload> {
    const { userId } = session;
    const given = readNomination(request, this.nominations.today);
    await this.consents.requireTermsInForce(session);
    const issuer = await this.currentIssuer.ofCode(userId, given.issuerCode ?? query.issuer_code);
    const { nominees, isSkipped, warnings } = await this.nominations.nominate(userId, given, issuer);
    const isAlone = !request.nominees && nominees.length === 1;
    return {
      ...(isAlone ? { nominee_id: nominees[0]!.id } : {}),
      nominees: nominees.map((nominee) => presentNominee(nominee, this.nominations.today)),
      is_nominee_skipped: isSkipped,
      warnings,
    };
  }

  @Get()
  @WithoutSharing()
  @Audited('NOMINEES_READ')
  @ApiOperation({
    summary: 'List the nominees, masked',
    description: 'Returns the nominees with their shares, or the declaration to name none.',
  })
  @Answers({ payload: NomineesPayload })
  async list(@CurrentSession() { userId }: SessionIdentity): Promise<NomineesPayload> {
    const { nominees, isSkipped } = await this.nominations.list(userId);
    return {
      nominees: nominees.map((nominee) => presentNominee(nominee, this.nominations.today)),
      is_nominee_skipped: isSkipped,
      skip_declaration: NO_NOMINEE_DECLARATION,
    };
  }

  @Put(':nominee_id')
  @Audited('NOMINEE_CHANGED')
  @ApiOperation({
    summary: 'Change a nominee: omitted fields stay, null removes',
    description: 'Changes one nominee of the list. Omitted fields keep their values; null removes a value.',
  })
  @Answers({
    message: 'Nomination changed',
    payload: ChangedNomineePayload,
    raises: [...NOMINEE_ERRORS, GeneralErrors.recordUnknown, ConsentErrors.withdrawn],
  })
  async change(
    @CurrentSession() session: SessionIdentity,
    @Param('nominee_id') id: string,
    @Body() request: UpdateNomineeRequest,
  ): Promise<ChangedNomineePayload> {
    await this.consents.requireTermsInForce(session);
    const { nominees, warnings } = await this.nominations.change(session.userId, id, request);
    return { ...presentNominee(nominees[0]!, this.nominations.today), warnings };
  }

  @Delete(':nominee_id')
  @Audited('NOMINEE_REMOVED')
  @ApiOperation({
    summary: 'Remove a nominee',
    description: 'Removes one nominee of the list. The shares of the others stay unchanged.',
  })
  @Answers({
    message: 'Nomination removed',
    payload: RemovedNomineePayload,
    raises: [GeneralErrors.recordUnknown],
  })
  async remove(
    @CurrentSession() { userId }: SessionIdentity,
    @Param('nominee_id') id: string,
  ): Promise<RemovedNomineePayload> {
    return { nominees_left: await this.nominations.remove(userId, id) };
  }
}

function presentNominee({ id, person, ...placement }: Nominee, today: string): NomineeView {
  const { name, relationship, dob, email, phone, pan, address, guardian } = person;
  return {
    nominee_id: id,
    name,
    relationship,
    dob,
    is_minor: dob === null ? null : isMinor(dob, today),
    email: email && maskEmail(email),
    phone: phone && maskPhone(phone),
    pan: pan && maskPan(pan),
    has_address: address !== null,
    share_percentage: placement.share / 100,
    nomination_type: placement.type,
    priority: placement.priority,
    guardian: guardian && { ...guardian },
  };
}
