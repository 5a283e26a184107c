# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Some large matrices, and many small arrays.
import numpy

source = numpy.random.RandomState(1)
matrix = source.rand(160, 160)
solved = numpy.linalg.solve(matrix + 160 * numpy.eye(160), source.rand(160))
values = numpy.linalg.eigvalsh(matrix + matrix.T)
product = matrix @ matrix.T
total = 0.0
point = numpy.array([0.5, 0.25, 0.125])
turn = numpy.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
for i in range(25000):
    point = turn @ point + numpy.cross(point, turn[i % 3]) * 1e-3
    point /= numpy.sqrt(numpy.dot(point, point))
    total += point[i % 3]
counts = numpy.bincount(source.randint(0, 100, 300000))
ordered = numpy.sort(source.rand(200000))
print(round(float(solved.sum() + values.max() + product.trace() + total + ordered[1000]), 6), counts[:3])
