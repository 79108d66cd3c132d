"""Producers: arrays that are copied in chunks while a product of them runs.

* `start_copy`: announces a copy, which begins with the first product that reads it
* `join`: waits for the end of the copy, after all that was computed from it
* `overlap`: does both, around a function that consumes the array; most programs call this

A copy runs beside the program, on a stream of its own (GPU) or on a thread of its own
(CPU). The source may be in pinned host memory: copy engines then make the copy, and
leave a GPU's multiprocessors to the product. Or it is in device memory: a GPU's driver
may then copy by kernels. So such a copy ends before the product starts, unless
product_leaves_room=True says that the two can run together. An example::

  x = jax.device_put(x, x.sharding.with_memory_kind("pinned_host"))

  @jax.jit
  def f(x, w):
    rows = jaxgemm.chunk_rows(x, w, tiles_per_chunk_m=4)
    return jaxgemm.overlap(
        x, lambda data, signals: jaxgemm.chunked_matmul(
            data, w, signals, tiles_per_chunk_m=4, chunk_rows=rows), chunk_rows=rows)

`data` and `signals` exist before their contents arrive. Three rules follow.

  * Only `jaxgemm.chunked_matmul` may read `data`, as its lhs. Anything else, such as a
    transpose or a cast, would read rows that have not arrived; it is an error when the
    program is lowered. Use the source `x` instead, or the product's result. This holds
    after the join, too, because XLA does not know that `data` has changed.
  * The function that calls start_copy also calls join, and uses what join returns:
    after the last use that XLA knows of, it gives the source's memory to other arrays.
    `overlap` keeps this rule; a start_copy without a join is an error when the program
    is lowered.
  * A product waits for its producer, so the producer must be able to run. The copies of
    `start_copy` always can: copy engines need no multiprocessor, a copy that may need
    one ends before the product starts, and the CPU's thread is not one of XLA's, which
    may all be waiting. A kernel beside the product may not be able to run: on the
    product's stream it would never start, and a product that fills the GPU leaves it no
    room. So if a producer of your own is a kernel (on another stream), give the product
    fewer workgroups by GemmConfig(num_workgroups=...). With product_leaves_room=True do
    so for all products that wait for chunks between that start and its join. On AMD GPUs
    do so for copies from the host, too: there the runtime may set signals by kernels.

The copy begins with the first product that reads it, and that product's call ends after
it. So if anything fails between start and join, such as a callback, no copy writes to
memory that XLA has given to other arrays. What the program does between start_copy and
that product does not run beside the copy.

A wait that has no success ends after its `timeout`: the call fails with an error, and the
device can be used as before. A program that fails does not reach its join. So there is
one more rule for a producer of your own: after the program has failed it must not write
any more, because the memory of its arrays may have been given to others. Give the product
a timeout that is long enough for the producer in any case.

A producer of your own is an FFI call that returns its data and signals at once. It
first sets all signals to a value other than the epoch (on a GPU on XLA's stream),
because their memory may have any contents. It then sets each signal to the epoch, with
a release, when the chunk has arrived; examples/own_producer has one for CPUs and one
for GPUs. `join(..., epoch=...)` waits until all signals equal that epoch (on a GPU the
host waits), so a producer must not touch its arrays after it has set its last signal.
In a loop or a branch give its `jax.ffi.ffi_call` has_side_effect=True, which keeps XLA
from moving it away from its join.

`jax.export` has to allow the calls jaxgemm_chunks_start, jaxgemm_chunks_join,
jaxgemm_chunked_gemm and, for GPUs, jaxgemm_chunk_status beside jaxgemm_gemm.
"""
