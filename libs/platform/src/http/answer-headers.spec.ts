import { Controller, Get, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import request, { type Response } from 'supertest';
import { closeWhileDraining } from '../observability/health.module.js';
import { corsOptions, preparedHeaders, setSecurityHeaders } from './answer-headers.js';

@Controller()
class AnyController {
  @Get()
  get(): string {
    return 'answered';
  }
}

@Module({ controllers: [AnyController] })
class AnyModule {}

interface Settings {
  readonly corsOrigins?: true | string[];
  readonly isDraining?: boolean;
  readonly isTlsDemanded?: boolean;
}

/** Headers of an answer. */
async function answered(
  origin: string | undefined,
  { corsOrigins = [], isDraining = false, isTlsDemanded = true }: Settings = {},
): Promise<Response['headers']> {
  const app = await NestFactory.create<NestExpressApplication>(AnyModule, { logger: false });
  app.use(setSecurityHeaders(isTlsDemanded));
  app.use(closeWhileDraining({ isDraining }));
  app.enableCors(corsOptions({ corsOrigins }));
  await app.init();
  const call = request(app.getHttpServer()).get('/').set('connection', 'keep-alive');
  if (origin !== undefined) void call.set('origin', origin);
  try {
    return (await call).headers;
  } finally {
    await app.close();
  }
}

describe('the headers of every answer', () => {
  it('demand TLS from browsers for a year when the setting requires it', async () => {
    const strict = 'strict-transport-security';
    expect((await answered(undefined))[strict]).toBe('max-age=31536000; includeSubDomains');
    expect(await answered(undefined, { isTlsDemanded: false })).not.toHaveProperty(strict);
  });

  it('forbid caching, and allow pages to read headers', async () => {
    expect(await answered('https://app.example')).toMatchObject({
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      vary: 'Origin',
      'access-control-expose-headers': expect.stringContaining('retry-after') as string,
    });
  });

  const ours = 'https://app.example';
  it.each<[true | string[], string | undefined, string | undefined]>([
    [[ours], ours, ours],
    [[ours], 'https://app.example.evil', undefined],
    [[ours], undefined, undefined],
    [[], ours, undefined],
    [true, 'https://any.example', 'https://any.example'],
    [true, undefined, undefined],
  ])(
    'allow, with the origins %j, the page %j to read the answer as %j',
    async (corsOrigins, origin, allowed) => {
      const headers = await answered(origin, { corsOrigins });
      expect(headers['access-control-allow-origin']).toBe(allowed);
      // prepared refusals say the same
      const prepared = preparedHeaders({ corsOrigins }, true);
      const { 'x-request-id': id, ...ofRefusal } = Object.fromEntries(prepared({}, origin ?? ''));
      expect(id).toMatch(/^[0-9a-f-]{36}$/);
      expect(headers).toMatchObject(ofRefusal);
      expect(ofRefusal['access-control-allow-origin']).toBe(allowed);
      expect(ofRefusal).toHaveProperty('vary', 'Origin');
      // those of Node.js, whose page may have been named in an earlier packet, admit all
      expect(new Map(prepared({}, undefined)).get('access-control-allow-origin')).toBe('*');
    },
  );

  it('close connections only while the service shuts down', async () => {
    expect((await answered(undefined))['connection']).not.toBe('close');
    expect(await answered(undefined, { isDraining: true })).toMatchObject({ connection: 'close' });
  });
});
