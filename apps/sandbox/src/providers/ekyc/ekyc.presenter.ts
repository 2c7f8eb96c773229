import { ApiProperty } from '@nestjs/swagger';
import { indiaTime } from '../../http/india-time.js';
import {
  EKYC_METHODS,
  EKYC_OUTCOMES,
  EKYC_STATES,
  type EkycRequest,
  type EkycState,
} from './ekyc-request.js';

export class OpenEkycView {
  @ApiProperty({ type: String, example: '0199c1a2-7b3c-7def-8123-456789abcdef' })
  readonly ekyc_request_id: string;

  @ApiProperty({ type: String, example: 'kaveri' })
  readonly issuer_code: string;

  @ApiProperty({ type: String, enum: EKYC_METHODS })
  readonly method: string;

  @ApiProperty({ type: String, enum: ['created', 'opened'] })
  readonly state: string;

  @ApiProperty({ type: String, format: 'uri', description: 'The hosted page.' })
  readonly url: string;

  @ApiProperty({ type: String, format: 'date-time', example: '2025-11-21T12:30:00.000+05:30' })
  readonly expires_at: string;
}

export class OpenEkycsView {
  @ApiProperty({ type: [OpenEkycView], description: 'Newest first.' })
  readonly requests: OpenEkycView[];
}

export class EkycOutcomeBody {
  @ApiProperty({ type: String, enum: EKYC_OUTCOMES })
  readonly outcome: string;
}

export class EkycOutcomeView {
  @ApiProperty({ type: String, example: '0199c1a2-7b3c-7def-8123-456789abcdef' })
  readonly ekyc_request_id: string;

  @ApiProperty({ type: String, enum: EKYC_STATES })
  readonly state: string;
}

export function presentOpenEkyc(request: EkycRequest, state: EkycState, url: string): OpenEkycView {
  const { reference, issuerCode, method, expiresAt } = request;
  return {
    ekyc_request_id: reference,
    issuer_code: issuerCode,
    method,
    state,
    url,
    expires_at: indiaTime(expiresAt),
  };
}
