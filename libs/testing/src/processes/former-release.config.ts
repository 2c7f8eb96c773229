import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../../../..');
// includes former folders: a moved migration is not a new one
const MIGRATIONS = ':(glob)apps/users-service/src/**/migrations/*.ts';

/**
 * Timeout of the installation and of the build. The test waits for both synchronously, so nothing else can end them.
 */
const STEP_LIMIT_MS = 600_000;

type AppName = 'users-service' | 'master-service';

const git = (...args: string[]): string =>
  execFileSync('git', ['-C', ROOT, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();

/** The services of a commit, built from the history of the repository. */
export class FormerRelease {
  private constructor(
    private readonly folder: string,
    private readonly app: AppName,
  ) {}

  /**
   * Finds the commit that FORMER_RELEASE names, or else the one on the main line before the latest migration of users-service.
   * @returns undefined if the history is too short, as in a shallow clone
   */
  static revision(): string | undefined {
    try {
      const { FORMER_RELEASE: named } = process.env;
      if (named) return git('rev-parse', '--verify', `${named}^{commit}`);
      const added = ['--first-parent', '-m', '--diff-filter=A', '--format=%H', '-1'];
      const latest = git('log', ...added, '--', MIGRATIONS);
      return latest === '' ? undefined : git('rev-parse', '--verify', `${latest}^1`);
    } catch {
      return undefined;
    }
  }

  static build(revision: string, app: AppName = 'users-service'): FormerRelease {
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
    run('node_modules/typescript-native/bin/tsc', '-b', `apps/${app}/tsconfig.app.json`);
    return new FormerRelease(folder, app);
  }

  /** Folder of the built service. */
  get dist(): string {
    return join(this.folder, 'apps', this.app, 'dist');
  }

  remove(): void {
    git('worktree', 'remove', '--force', this.folder);
    rmSync(join(this.folder, '..'), { recursive: true, force: true });
  }
}
