"""claimlab: when a model says something, what independent object can still say no?

Each lab is one module: ``claimlab.ledger`` is lab 1. Import the module you need; importing the
package itself loads nothing else.
"""

__version__ = "0.1.0"
