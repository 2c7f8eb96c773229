import type { Environment } from '@fd/platform';
import { LoadBalancer, type ServerError } from './load-balancer.js';
import type { RunningProcess, ServiceProcesses } from './service-processes.config.js';

/** How one replica gave way to another. */
export interface Replacement {
  readonly exitCode: number | null;
  /** What it answered with 500 or more once it had been told to end. */
  readonly serverErrors: readonly ServerError[];
}

/** Replicas of a service in processes of their own, behind a load balancer. */
export class ReplicaSet {
  private constructor(
    readonly balancer: LoadBalancer,
    private readonly processes: ServiceProcesses,
    private readonly overrides: Environment,
    private readonly replicas: RunningProcess[],
  ) {}

  /** @param overrides settings of these replicas, over those of all of the processes */
  static async start(
    processes: ServiceProcesses,
    count: number,
    overrides: Environment = {},
  ): Promise<ReplicaSet> {
    const settings = { TRUSTED_PROXY_HOPS: '1', REPLICAS: String(count), ...overrides };
    const replicas = await Promise.all(Array.from({ length: count }, () => processes.start(settings)));
    const balancer = await LoadBalancer.start();
    for (const { url } of replicas) balancer.add(url);
    await balancer.untilReady(count);
    return new ReplicaSet(balancer, processes, settings, replicas);
  }

  /** Where clients call. */
  get url(): string {
    return this.balancer.url;
  }

  get running(): readonly RunningProcess[] {
    return this.replicas;
  }

  /** Ends a replica as a deployment does and starts another in its place. */
  async replace(index: number): Promise<Replacement> {
    const { url, terminate } = this.replicas[index]!;
    const toldAt = performance.now();
    const exitCode = await terminate();
    await this.startInPlaceOf(index);
    const serverErrors = this.balancer.serverErrors.filter(
      ({ replica, at }) => replica === url && at >= toldAt,
    );
    return { exitCode, serverErrors };
  }

  /** Ends a replica as a machine that fails does and starts another in its place. */
  async failOver(index: number): Promise<void> {
    await this.replicas[index]!.kill();
    await this.startInPlaceOf(index);
  }

  async stop(): Promise<void> {
    await this.balancer.stop();
    await Promise.all(this.replicas.map((replica) => replica.kill()));
  }

  private async startInPlaceOf(index: number): Promise<void> {
    this.balancer.remove(this.replicas[index]!.url);
    const next = await this.processes.start(this.overrides);
    this.replicas[index] = next;
    this.balancer.add(next.url);
    await this.balancer.untilReady(this.replicas.length);
  }
}
