import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  type DetailOption,
  PersonalDetailsOptionsPayload,
  PersonalDetailsPayload,
  PersonalDetailsQuery,
  PersonalDetailsRequest,
} from '@fd/contracts';
import { Answers } from '@fd/envelope';
import { ConsentErrors, IssuerErrors, JourneyErrors, PersonalDetailsErrors } from '@fd/errors';
import type { Issuer } from '../../config/index.js';
import {
  Audited,
  CurrentSession,
  Idempotent,
  type SessionIdentity,
  Unaudited,
  WithoutSharing,
} from '../../core/index.js';
import { ConsentsRepository } from '../../identity/index.js';
import { CurrentIssuer, ForStep } from '../../journey/index.js';
import { askedBy, personalDetailsSchema } from './details-validator.js';
import { type Address, type Details, isCurrent } from './details.js';
import {
  DECLARATION_CODES,
  DECLARATIONS,
  DETAIL_FIELD_NAMES,
  type DetailField,
  type OptionField,
  OPTIONS,
} from './details.table.js';
import { type DetailsOverview, PersonalDetailsService } from './personal-details.service.js';

@ApiTags('Personal details')
@Controller('api/v1/personal-details')
export class PersonalDetailsController {
  constructor(
    private readonly details: PersonalDetailsService,
    private readonly currentIssuer: CurrentIssuer,
    private readonly consents: ConsentsRepository,
  ) {}

  @Get()
  @WithoutSharing()
  @Audited('PERSONAL_DETAILS_READ')
  @ApiOperation({
    summary: 'Saved personal details, and fields that an issuer still requires',
    description:
      'Returns the saved values, and in `missing` the fields that the issuer still requires. `issuer_code` defaults to the issuer chosen last.',
  })
  @Answers({ payload: PersonalDetailsPayload, raises: [IssuerErrors.unknown] })
  async show(
    @CurrentSession() { userId, isUnshared }: SessionIdentity,
    @Query() query: PersonalDetailsQuery,
  ): Promise<PersonalDetailsPayload> {
    const issuer = await this.currentIssuer.ofCode(userId, query.issuer_code, !isUnshared);
    return presentDetails(await this.details.show(userId, issuer));
  }

  @Post()
  @Idempotent()
  @ForStep('PERSONAL_DETAILS')
  @Audited('PERSONAL_DETAILS_SAVED')
  @ApiOperation({
    summary: 'Save personal details; saved fields need not be sent again',
    description:
      'Completes the step PERSONAL_DETAILS once nothing is missing. A refusal lists every invalid field.',
  })
  @Answers({
    message: 'Personal details saved',
    payload: PersonalDetailsPayload,
    raises: [
      JourneyErrors.stepLocked,
      IssuerErrors.unknown,
      PersonalDetailsErrors.missing,
      PersonalDetailsErrors.invalid,
      PersonalDetailsErrors.pincodeInvalid,
      PersonalDetailsErrors.declarationMissing,
      ConsentErrors.withdrawn,
    ],
  })
  async save(
    @CurrentSession() session: SessionIdentity,
    @Query() query: PersonalDetailsQuery,
    @Body() request: PersonalDetailsRequest,
  ): Promise<PersonalDetailsPayload> {
    const { userId } = session;
    await this.consents.requireTermsInForce(session);
    return presentDetails(
      await this.details.save(userId, await this.currentIssuer.ofCode(userId, query.issuer_code), request),
    );
  }

  @Get('options')
  @WithoutSharing()
  @Unaudited('options, identical for all users')
  @ApiOperation({
    summary: 'Options of the selections, and texts of the declarations',
    description:
      'Returns the values and labels of each selection, and the declarations that the issuer requires.',
  })
  @Answers({ payload: PersonalDetailsOptionsPayload, raises: [IssuerErrors.unknown] })
  async options(
    @CurrentSession() { userId, isUnshared }: SessionIdentity,
    @Query() query: PersonalDetailsQuery,
  ): Promise<PersonalDetailsOptionsPayload> {
    return presentOptions(await this.currentIssuer.ofCode(userId, query.issuer_code, !isUnshared));
  }
}

/** A person's own details, unmasked, to fill the form again. */
function presentDetails({ issuer, details, acceptances, missing }: DetailsOverview): PersonalDetailsPayload {
  const { communication_address: address } = details;
  const answers = DETAIL_FIELD_NAMES.map((name) => [name, details[name] ?? null]);
  return {
    issuer_code: issuer?.code ?? null,
    ...(Object.fromEntries(answers) as { [Field in DetailField]: Exclude<Details[Field], undefined> | null }),
    communication_address: address ? presentAddress(address) : null,
    declarations: acceptances.filter(isCurrent).map(({ code, version, acceptedAt }) => ({
      code,
      version,
      accepted: true,
      accepted_at: acceptedAt.toISOString(),
    })),
    missing,
    expected_params: personalDetailsSchema(issuer),
  };
}

function presentOptions(issuer: Issuer | undefined): PersonalDetailsOptionsPayload {
  const codes = issuer ? askedBy(issuer).declarations : DECLARATION_CODES;
  return {
    options: ALL_OPTIONS,
    declarations: codes.map((code) => ({ code, ...DECLARATIONS[code] })),
  };
}

/** Of a valid address, which may lack only the second line. */
function presentAddress({ line1, line2, city, state_code, pincode }: Address) {
  return { line1: line1!, line2: line2 ?? null, city: city!, state_code: state_code!, pincode: pincode! };
}

const ALL_OPTIONS = Object.fromEntries(
  Object.entries(OPTIONS).map(([field, options]) => [
    field,
    Object.entries(options).map(([key, value]) => ({ key, value })),
  ]),
) as Record<OptionField, DetailOption[]>;
