import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FormerRelease } from '@fd/testing';
import type { ApiDocument } from '../api-operations.js';
import type { Pools } from '../schema-values.js';
import {
  type AnswerBook,
  type Difference,
  differencesBetween,
  readAnswers,
  writeAnswers,
} from './answer-book.js';
import type { FormOptions } from './answer-form.js';
import { ask, type CallList } from './ask.js';
import { type NamedRequest, readHostileRequests, writeHostileRequests } from './fixed-requests.js';
import { type IntendedDifference, unexplained } from './intended-differences.js';
import { COMMIT_TO_RECORD } from './recording.config.js';

const ROOT = join(import.meta.dirname, '../../../..');

/** Requests to each operation. */
const HOSTILE_REQUESTS = 10;

/** Of the build of a commit and all its answers, on a busy machine. */
const RECORDING_LIMIT_MS = 1_800_000;

/** A service of any commit with its own stores. */
export interface BuiltService {
  readonly url: string;
  close(): Promise<void>;
}

interface RecordedAnswers {
  readonly app: 'users-service' | 'master-service';
  /** Folder of the recording and of `intended-differences.json`. */
  readonly folder: string;
  readonly lists: (hostileRequests: () => readonly NamedRequest[]) => Readonly<Record<string, CallList>>;
  readonly start: (dist: string) => Promise<BuiltService>;
  readonly form: FormOptions;
  /** Of hostile requests. */
  readonly pools: Pools;
}

/**
 * Describes that a service answers as recorded, but for the differences that the changelog names. With FD_RECORD_ANSWERS it
 * records the answers of that commit first, and describes that the commit gives the same answers again.
 */
export function describeRecordedAnswers({ app, folder, lists, start, form, pools }: RecordedAnswers): void {
  const requests = join(folder, 'hostile-requests.jsonl');
  const named = lists(() => readHostileRequests(requests));
  const answers = join(folder, 'answers.jsonl');
  const intended = COMMIT_TO_RECORD === undefined ? intendedIn(folder) : [];
  const found: Difference[] = [];
  let former: FormerRelease | undefined;
  let service: BuiltService | undefined;

  const record = async (dist: string): Promise<void> => {
    const recorded = await start(dist);
    try {
      const document = (await (await fetch(`${recorded.url}/openapi.json`)).json()) as ApiDocument;
      writeHostileRequests(requests, document, pools, HOSTILE_REQUESTS);
      const recording = new Map<string, AnswerBook>();
      for (const [name, list] of Object.entries(named))
        recording.set(name, await ask(recorded.url, list, form));
      writeAnswers(answers, recording);
    } finally {
      await recorded.close();
    }
  };

  describe('recorded answers', () => {
    beforeAll(async () => {
      former = COMMIT_TO_RECORD === undefined ? undefined : FormerRelease.build(COMMIT_TO_RECORD, app);
      if (former) await record(former.dist);
      service = await start(former?.dist ?? join(ROOT, 'apps', app, 'dist'));
    }, RECORDING_LIMIT_MS);
    afterAll(async () => {
      await service?.close();
      former?.remove();
    });

    it.each(Object.entries(named))(
      'answers the calls of %s as recorded, or as the changelog says',
      async (name, list) => {
        const recorded = readAnswers(answers).get(name)!;
        const differences = differencesBetween(recorded, await ask(service!.url, list, form));
        found.push(...differences);
        expect(unexplained(differences, intended).differences.slice(0, 50)).toEqual([]);
      },
    );

    it('finds each difference that the changelog names', () => {
      expect(unexplained(found, intended).past).toEqual([]);
    });
  });

  it('names the reason of each intended difference in the changelog', () => {
    const changelog = readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8').replace(/\s+/g, ' ');
    const reasons = intendedIn(folder).map(({ because }) => because);
    expect(reasons.filter((reason) => !changelog.includes(`- ${reason}`))).toEqual([]);
  });
}

const intendedIn = (folder: string): readonly IntendedDifference[] =>
  JSON.parse(
    readFileSync(join(folder, 'intended-differences.json'), 'utf8'),
  ) as readonly IntendedDifference[];
