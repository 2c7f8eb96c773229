import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../../../..');
// matches former folders too: a moved migration is not a new one
const MIGRATIONS = ':(glob)apps/users-service/src/**/migrations/*.ts';

/** For the installation, and for the build: nothing else ends them, since the test waits for them synchronously. */
const STEP_LIMIT_MS = 180_000;

const git = (...args: string[]): string =>
  execFileSync('git', ['-C', ROOT, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();

/** The service as it was before its latest migration, built from the history of the repository. */
export class FormerRelease {
  private constructor(
    private readonly folder: string,
    /** Its commit. */
    readonly revision: string,
  ) {}

  /**
   * The commit of the main line before the one that brought the latest migration.
   * @returns undefined where the history does not reach back so far, as in a shallow clone
   */
  static revision(): string | undefined {
    try {
      const added = ['--first-parent', '-m', '--diff-filter=A', '--format=%H', '-1'];
      const latest = git('log', ...added, '--', MIGRATIONS);
      return latest === '' ? undefined : git('rev-parse', '--verify', `${latest}^1`);
    } catch {
      return undefined;
    }
  }

  static build(revision: string): FormerRelease {
    const folder = join(mkdtempSync(join(tmpdir(), 'fd-former-')), 'workspace');
    git('worktree', 'add', '--detach', folder, revision);
    const run = (...args: string[]): void =>
      void execFileSync(process.execPath, args, {
        cwd: folder,
        stdio: ['ignore', 'ignore', 'inherit'],
        timeout: STEP_LIMIT_MS,
        killSignal: 'SIGKILL',
      });
    run('tools/bootstrap.mjs');
    run('node_modules/typescript/bin/tsc', '-b', 'apps/users-service/tsconfig.app.json');
    return new FormerRelease(folder, revision);
  }

  /** Folder of the built service. */
  get dist(): string {
    return join(this.folder, 'apps/users-service/dist');
  }

  remove(): void {
    git('worktree', 'remove', '--force', this.folder);
    rmSync(join(this.folder, '..'), { recursive: true, force: true });
  }
}
