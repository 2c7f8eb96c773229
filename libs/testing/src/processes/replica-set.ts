import type { Environment } from '@fd/platform';
import { LoadBalancer, type ServerError } from './load-balancer.js';
import type { RunningProcess, ServiceProcesses } from './service-processes.config.js';

/** The replacement of a replica. */
export interface Replacement {
  readonly exitCode: number | null;
  /** Its answers of 500 or more after the request to end. */
  readonly serverErrors: readonly ServerError[];
}

/** Replicas of a service in separate processes behind a load balancer. */
export class ReplicaSet {
  private isStopped = false;
  private starting: Promise<RunningProcess> | undefined;

  private constructor(
    readonly balancer: LoadBalancer,
    private readonly processes: ServiceProcesses,
    private readonly overrides: Environment,
    private readonly replicas: RunningProcess[],
  ) {}

  /**
   * @param processes used by this set only, which ends them all
   * @param overrides settings of these replicas, over those of `processes`
   */
  static async start(
    processes: ServiceProcesses,
    count: number,
    overrides: Environment = {},
  ): Promise<ReplicaSet> {
    const settings = { TRUSTED_PROXY_HOPS: '1', REPLICAS: String(count), ...overrides };
    try {
      const replicas = await Promise.all(Array.from({ length: count }, () => processes.start(settings)));
      const balancer = await LoadBalancer.start();
      for (const { url } of replicas) balancer.add(url);
      await balancer.untilReady(count);
      return new ReplicaSet(balancer, processes, settings, replicas);
    } catch (error) {
      await processes.killAll();
      throw error;
    }
  }

  /** Base URL for clients. */
  get url(): string {
    return this.balancer.url;
  }

  get running(): readonly RunningProcess[] {
    return this.replicas;
  }

  /** Logs of the running replicas. */
  logs(): string {
    return this.replicas.map(({ log }) => log()).join('');
  }

  /** Ends a replica with SIGTERM, as a deployment does, and starts another instead. */
  async replace(index: number): Promise<Replacement> {
    const { url, terminate } = this.replicas[index]!;
    const signalledAt = performance.now();
    const exitCode = await terminate();
    await this.startInPlaceOf(index);
    const serverErrors = this.balancer.serverErrors.filter(
      ({ replica, at }) => replica === url && at >= signalledAt,
    );
    return { exitCode, serverErrors };
  }

  /** Kills a replica, like a failing machine, and starts another instead. */
  async failOver(index: number): Promise<void> {
    await this.replicas[index]!.kill();
    await this.startInPlaceOf(index);
  }

  /** Ends all replicas, including one that is starting: a test may end during a replacement. */
  async stop(): Promise<void> {
    this.isStopped = true;
    await this.balancer.stop();
    await this.processes.killAll();
    // replicas that started during the shutdown
    await this.starting?.catch(() => undefined);
    await this.processes.killAll();
  }

  private async startInPlaceOf(index: number): Promise<void> {
    if (this.isStopped) throw new Error('the replicas were stopped');
    this.balancer.remove(this.replicas[index]!.url);
    this.starting = this.processes.start(this.overrides);
    const next = await this.starting;
    this.replicas[index] = next;
    this.balancer.add(next.url);
    await this.balancer.untilReady(this.replicas.length);
  }
}
