import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { runInNewContext } from 'node:vm';
import { LoginErrors } from '@fd/errors';
import { createLogger, NestLogger, scrub } from './logger.js';

describe('scrub', () => {
  it.each([
    ['919812345678'],
    ['ABCDE1234F'],
    ['123456789012345678'],
    ['12345678901234567890'],
    ['eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln'],
    ['N8Ht4Zx0wq5bAlmTq3cV9m1yq0sQm1Yd2fX9gkzJ0aE'],
  ])('redacts %s in a text', (secret) => {
    expect(scrub(`key (phone)=(${secret}) exists`)).toBe('key (phone)=([redacted]) exists');
  });

  it('redacts a token directly after other characters', () => {
    expect(scrub('token-eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln.')).toBe('[redacted].');
  });

  it.each(['eyJ-', 'eyJ.', '9', '9-', 'A', '+', 'a.'])('takes linear time for a text of only %s', (part) => {
    const text = part.repeat(2_000_000 / part.length);
    // milliseconds: a thousand times what it takes, and a small part of quadratic time
    expect(() => runInNewContext('scrub(text)', { scrub, text }, { timeout: 30_000 })).not.toThrow();
  });

  it.each([
    '0198c0de-1234-7000-8000-00000000abcd',
    '0198c0de-1234-7000-8000-839447027339',
    '2026-11-21T07:10:00.000Z',
    'status 503 after 1200 ms',
    LoginErrors.otpWrong.code,
  ])('does not change %s', (text) => {
    expect(scrub(text)).toBe(text);
  });
});

describe('the logger', () => {
  const linesOf = (log: (logger: NestLogger) => void) => {
    const lines: string[] = [];
    const sink = new Writable({
      write(chunk: Buffer, _encoding, done) {
        lines.push(chunk.toString());
        done();
      },
    });
    log(new NestLogger(createLogger({ service: 'test' }, 'debug', sink)));
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  };

  it('writes one JSON object a line, with fields', () => {
    expect(linesOf((logger) => logger.warn({ msg: 'refused', count: 2 }, 'Somewhere'))).toEqual([
      {
        level: 'warn',
        time: expect.stringMatching(/^\d{4}-.*Z$/) as string,
        service: 'test',
        context: 'Somewhere',
        count: 2,
        msg: 'refused',
      },
    ]);
  });

  it('scrubs the fields too', () => {
    const [line] = linesOf((logger) => logger.warn({ msg: 'away', reason: 'no answer about 919812345678' }));
    expect(line).toMatchObject({ msg: 'away', reason: 'no answer about [redacted]' });
  });

  it('logs an error without its own properties and without phone numbers or PANs', () => {
    const error = Object.assign(new Error('duplicate key 919812345678', { cause: new Error('ABCDE1234F') }), {
      code: '23505',
      parameters: ['919812345678'],
      body: '{"otp":"123456"}',
    });
    const [line] = linesOf((logger) => logger.error(error));
    expect(line?.['err']).toMatchObject({
      type: 'Error',
      code: '23505',
      message: 'duplicate key [redacted]',
    });
    expect(JSON.stringify(line)).not.toMatch(/919812345678|ABCDE1234F|otp/);
  });

  it('lets a process exit whose lines nobody reads any more', async () => {
    // the first line is being written and fails; the exit writes the second
    const source = `const logger = require('pino')();
      logger.info('started');
      process.stdin.resume().on('end', () => {
        logger.info('ending');
        logger.info('ended');
        process.exit();
      });`;
    const child = spawn(process.execPath, ['-e', source], {
      cwd: import.meta.dirname,
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    const exited = once(child, 'exit').then(() => 'exited');
    await once(child.stdout, 'data');
    child.stdout.destroy();
    child.stdin.end();
    // without the fix of sonic-boom it would repeat the write for ever
    const outcome = await Promise.race([exited, sleep(60_000, 'still runs', { ref: false })]);
    child.kill('SIGKILL');
    expect(outcome).toBe('exited');
  }, 90_000);
});
