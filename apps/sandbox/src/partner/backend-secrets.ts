import { existsSync, readFileSync } from 'node:fs';
import { Inject, Injectable } from '@nestjs/common';
import { z } from 'zod';
import { SANDBOX_CONFIG, type SandboxConfig } from '../config/sandbox-config.js';

const kept = z.object({ secret: z.string().startsWith('whsec_'), key: z.string() });

/** What the backend of the sample partner keeps: the secret of its deliveries, and its key. */
@Injectable()
export class BackendSecrets {
  constructor(@Inject(SANDBOX_CONFIG) private readonly config: SandboxConfig) {}

  /**
   * Reads the file each time: it may be written after the start.
   * @returns undefined while the partner gets no events
   * @throws Error for a file with other contents
   */
  read(): z.output<typeof kept> | undefined {
    const { partnerEventsFile: file } = this.config;
    if (file === undefined || !existsSync(file)) return undefined;
    const { data } = kept.safeParse(parsed(readFileSync(file, 'utf8')));
    if (!data) throw new Error(`PARTNER_EVENTS_FILE: ${file} does not contain {"secret","key"}`);
    return data;
  }
}

/** Without the parser's message, which quotes the text. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
