//! The kernel ring: what a run may touch, made true by the kernel and by the supervisor.

pub mod egress;
