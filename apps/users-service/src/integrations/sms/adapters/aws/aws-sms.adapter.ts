import type { Readable } from 'node:stream';
import { ProviderError, type ProviderFailure } from '@fd/errors';
import { inProviderSpan } from '@fd/platform';
import type {
  PinpointSMSVoiceV2Client,
  SendTextMessageCommandInput,
  SendTextMessageCommandOutput,
} from '@aws-sdk/client-pinpoint-sms-voice-v2';
import { z } from 'zod';
import { renderedSms, type SmsConfig, type SmsProviderSettings } from '../../../../config/index.js';
import { answerTooLarge, connectionError } from '../../../providers/http-exchange.js';
import { failureOf } from '../../../providers/provider-client.js';
import type { SmsMessage, SmsProvider } from '../../sms.port.js';

type AwsSettings = Extract<SmsProviderSettings, { kind: 'aws' }>;

/** An exception of the SDK that AWS answered. Names and reasons are identifiers; texts may contain the phone. */
const refusal = z.object({
  name: z.string(),
  Reason: z.string().optional(),
  $metadata: z.object({ httpStatusCode: z.int() }),
});

/** The SDK found no credentials, so that nothing was sent. */
const noCredentials = z.object({
  name: z.enum(['CredentialsProviderError', 'TokenProviderError', 'ProviderError']),
});

const sent = z.object({ MessageId: z.string().min(1).max(200) });

/** Reasons about our sender or its registration. */
export const SENDER_REASONS: readonly string[] = [
  'CHANNEL_NOT_ENABLED',
  'COUNTRY_NOT_ENABLED',
  'DESTINATION_COUNTRY_BLOCKED',
  'DESTINATION_COUNTRY_BLOCKED_BY_PROTECT_CONFIGURATION',
  'INTERNATIONAL_SENDING_NOT_SUPPORTED',
  'INVALID_ARN',
  'INVALID_IDENTITY_FOR_DESTINATION_COUNTRY',
  'MESSAGE_TYPE_MISMATCH',
  'NO_ORIGINATION_IDENTITIES_FOUND',
  'NUMBER_CAPABILITIES_MISMATCH',
  'REGISTRATION_NOT_COMPLETE',
  'RESOURCE_NOT_ACCESSIBLE',
  'RESOURCE_NOT_ACTIVE',
  'SENDER_ID_NOT_REGISTERED',
  'SENDER_ID_NOT_SUPPORTED',
  'SENDER_ID_REQUIRES_REGISTRATION',
];

/**
 * Exceptions and reasons about our account, its sender or its registration. `misconfigured` stops all messages for a
 * while, so one that a single phone can cause is `refused`.
 */
const MISCONFIGURED: readonly string[] = [
  'AccessDeniedException',
  'ExpiredTokenException',
  'IncompleteSignature',
  'InvalidClientTokenId',
  'InvalidSignatureException',
  'MissingAuthenticationToken',
  'NotAuthorized',
  'OptInRequired',
  'RequestExpired',
  'UnrecognizedClientException',
  // the monthly limit of our spending
  'ServiceQuotaExceededException',
  // the origination identity
  'ResourceNotFoundException',
  ...SENDER_REASONS,
];

/**
 * An eighth of what other providers may answer: the SDK makes a field of every element, or character, of an answer that is
 * no object, which takes a millisecond of the event loop for each KiB. AWS answers a few hundred bytes.
 */
const MAX_ANSWER_BYTES = 8_192;

const IDENTIFIER = /^\w+$/;
const MAX_IDENTIFIER = 80;

/** Checks the length first: the SDK does not limit it. */
const isIdentifier = (text: string | undefined): boolean =>
  text !== undefined && text.length <= MAX_IDENTIFIER && IDENTIFIER.test(text);

/** Limits of the time to live, in seconds. */
const MIN_LIFE = 5;
const MAX_LIFE = 259_200;

/** AWS End User Messaging SMS takes the whole text and the registration. See the README beside this file. */
export class AwsSmsAdapter implements SmsProvider {
  readonly name: string;
  readonly deliversOnce = false;
  /** Loaded only if the settings name this provider: it takes 30 MiB. */
  private readonly sdk = import('@aws-sdk/client-pinpoint-sms-voice-v2');
  private client: PinpointSMSVoiceV2Client | undefined;

  constructor(
    private readonly settings: AwsSettings,
    private readonly registration: Pick<SmsConfig, 'dltEntityId' | 'templates' | 'texts'>,
  ) {
    this.name = settings.name;
  }

  async send(message: SmsMessage, signal: AbortSignal): Promise<void> {
    await this.sendText(message, signal, false);
  }

  /** Has a message validated, without a delivery or a charge. */
  async dryRun(message: SmsMessage, signal: AbortSignal): Promise<void> {
    await this.sendText(message, signal, true);
  }

  private async sendText(message: SmsMessage, signal: AbortSignal, isDryRun: boolean): Promise<void> {
    const input = { ...this.inputOf(message), ...(isDryRun && { DryRun: true }) };
    const answer = await inProviderSpan(this.name, 'SendTextMessage', () => this.ask(input, signal));
    if (!sent.safeParse(answer).success) throw this.failed('malformed', 'MessageId');
  }

  private async ask(
    input: SendTextMessageCommandInput,
    signal: AbortSignal,
  ): Promise<SendTextMessageCommandOutput> {
    const { PinpointSMSVoiceV2Client, SendTextMessageCommand } = await this.sdk;
    this.client ??= this.withOurReading(new PinpointSMSVoiceV2Client(this.clientConfig()));
    try {
      return await this.client.send(new SendTextMessageCommand(input), { abortSignal: signal });
    } catch (error) {
      throw this.failureIn(error, signal);
    }
  }

  /** Classifies errors of the connection before the SDK wraps them, and limits answers, which the SDK does not. */
  private withOurReading(client: PinpointSMSVoiceV2Client): PinpointSMSVoiceV2Client {
    client.middlewareStack.add(
      (next) => async (call) => {
        const answer = await next(call).catch((error: unknown) => {
          throw connectionError(this.name, error);
        });
        const response = answer.response as { body: Readable | Buffer };
        response.body = await this.wholeBody(response.body as Readable);
        return answer;
      },
      { step: 'deserialize', priority: 'low' },
    );
    return client;
  }

  private async wholeBody(body: Readable): Promise<Buffer> {
    const parts: Buffer[] = [];
    let bytes = 0;
    // leaving the loop closes the connection
    for await (const part of body as AsyncIterable<Buffer>) {
      bytes += part.length;
      if (bytes > MAX_ANSWER_BYTES) throw answerTooLarge(this.name);
      parts.push(part);
    }
    return Buffer.concat(parts);
  }

  private clientConfig() {
    const { region, endpoint, keys } = this.settings;
    return {
      region,
      ...(endpoint !== undefined && { endpoint }),
      // AWS_ENDPOINT_URL and the SDK's files could name a host without TLS, which our settings refuse
      ignoreConfiguredEndpointUrls: true,
      // without keys: the SDK's default chain
      ...(keys && { credentials: { accessKeyId: keys.id, secretAccessKey: keys.secret } }),
      // a second try could send the message twice; `SmsDelivery` decides
      maxAttempts: 1,
    };
  }

  private inputOf({ phone, templateId, variables, usefulMs }: SmsMessage): SendTextMessageCommandInput {
    const { dltEntityId, templates, texts } = this.registration;
    const seconds = Math.min(MAX_LIFE, Math.max(MIN_LIFE, Math.floor(usefulMs / 1_000)));
    return {
      DestinationPhoneNumber: `+${phone}`,
      OriginationIdentity: this.settings.origination,
      MessageBody: renderedSms(texts[templateId], variables),
      MessageType: 'TRANSACTIONAL',
      ...(usefulMs > 0 && { TimeToLive: seconds }),
      // present, by the rules of the settings: without them AWS takes the expensive international route
      DestinationCountryParameters: {
        IN_ENTITY_ID: dltEntityId!,
        IN_TEMPLATE_ID: templates[templateId]!.dltTemplateId!,
      },
    };
  }

  private failureIn(error: unknown, signal: AbortSignal): ProviderError {
    if (signal.aborted) return this.failed('timeout');
    if (error instanceof ProviderError) return error;
    const read = refusal.safeParse(error);
    if (!read.success) {
      if (noCredentials.safeParse(error).success) return this.failed('misconfigured', 'no credentials');
      // the answer broke off
      return connectionError(this.name, error);
    }
    const { name, Reason: reason, $metadata } = read.data;
    const status = $metadata.httpStatusCode;
    const code = [reason, name].find(isIdentifier) ?? 'unknown';
    const failure = kindOf(status, [name, reason]);
    const isThrottled = failure === 'unavailable' && (status === 429 || name === THROTTLED);
    return new ProviderError(this.name, failure, {
      detail: `status ${status}: ${code}`,
      reason: isThrottled ? 'throttled' : undefined,
    });
  }

  private failed(failure: ProviderFailure, detail?: string): ProviderError {
    return new ProviderError(this.name, failure, detail === undefined ? {} : { detail });
  }
}

const THROTTLED = 'ThrottlingException';

function kindOf(status: number, codes: readonly (string | undefined)[]): ProviderFailure {
  if (codes.some((code) => MISCONFIGURED.includes(code ?? ''))) return 'misconfigured';
  if (codes.includes(THROTTLED)) return 'unavailable';
  // a redirect: another server has answered
  if (status >= 300 && status < 400) return 'timeout';
  return failureOf(status);
}
